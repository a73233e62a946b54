import { expect, test } from 'vitest'
import type { Client } from '../base/target-command.js'
import { checkDocuments } from './check-documents.js'

test('wrong items of an array count once per document, also beyond the examples', async () => {
  const documents = ['a', 'b', 'c', 'd', 'e'].map((id) => ({ id, data: { tags: [1, 2, 3] } }))
  const client = { collection: () => ({ iterate: () => documents }) } as unknown as Client
  const schema = { tags: { type: 'array', items: { type: 'string' } } } as const

  const { issues, refused } = await checkDocuments(client, { name: 'posts', schema }, () => {})

  expect(refused).toBe(5)
  expect(issues).toMatchObject([{ field: 'tags', documents: 5, examples: ['a', 'b', 'c'] }])
})
