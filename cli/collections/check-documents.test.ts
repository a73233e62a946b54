import { expect, test } from 'vitest'
import { checkDocuments } from './check-documents.js'

test('wrong items of an array count once per document, also beyond the examples', async () => {
  async function* documents() {
    for (const id of ['a', 'b', 'c', 'd', 'e']) yield { id, data: { tags: [1, 2, 3] } }
  }
  const schema = { tags: { type: 'array', items: { type: 'string' } } } as const

  const { issues, refused } = await checkDocuments(documents(), { name: 'posts', schema }, () => {})

  expect(refused).toBe(5)
  expect(issues).toMatchObject([{ field: 'tags', documents: 5, examples: ['a', 'b', 'c'] }])
})
