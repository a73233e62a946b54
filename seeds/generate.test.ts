import { expect, test } from 'vitest'
import type { Schema } from '../client/protocol/model/collection.js'
import { checkFields } from '../client/protocol/model/schema.js'
import { openFaker } from './faker.js'
import { generateDocuments } from './generate.js'

const schema: Schema = {
  state: { type: 'string', enum: ['open', 'done'], required: true },
  size: { type: 'integer', enum: [1, 2, 3] },
  points: { type: 'integer', min: 2_000, max: 2_010, required: true },
  share: { type: 'number', min: 0.5, max: 0.6 },
  name: { type: 'string', minLength: 30, maxLength: 40, required: true },
  mail: { type: 'string', format: 'email', unique: true, required: true },
  site: { type: 'string', format: 'url' },
  day: { type: 'string', format: 'date' },
  text: { type: 'string', format: 'markdown', maxLength: 20 },
  code: { type: 'string', pattern: '[A-Z]{2}[0-9]{4}', required: true },
  tags: { type: 'array', items: { type: 'string', enum: ['a', 'b'] }, minLength: 1, maxLength: 2, required: true },
  place: { type: 'object', fields: { zip: { type: 'string', maxLength: 5, required: true } }, required: true },
  board: { type: 'link', to: 'boards', required: true },
  people: { type: 'link', to: 'users', many: true },
}
const linked = new Map([
  ['boards', ['b1', 'b2']],
  ['users', ['u1']],
])

test('generated documents obey the schema, and links lead to existing records', () => {
  const documents = generateDocuments(openFaker(7), 200, { schema, samples: [], linked })

  expect(documents.flatMap((document) => checkFields(schema, document))).toEqual([])
  expect(new Set(documents.map(({ board }) => board))).toEqual(new Set(['b1', 'b2']))
  expect(new Set(documents.map(({ mail }) => mail)).size).toBe(200)
})

test('a link without records to lead to is left out', () => {
  const [document] = generateDocuments(openFaker(7), 1, { schema, samples: [] })

  expect(document).not.toHaveProperty('board')
  expect(document?.people).toEqual([])
})
