import { expect, test } from 'vitest'
import { fieldTypes } from '../../client/protocol/model/collection.js'
import { checkFields } from '../../client/protocol/model/schema.js'
import { readFields } from '../documents/fields-args.js'
import { exampleFields } from './example-fields.js'

test('a collection without a schema is shown a title', () => {
  expect(exampleFields({})).toBe('title=Hello')
})

test('required fields are shown, or else the first one', () => {
  const due = { type: 'datetime' } as const
  const name = { type: 'string', required: true } as const
  const rank = { type: 'integer', required: true, default: 1 } as const

  expect(exampleFields({ due, name, rank })).toBe('name=Hello')
  expect(exampleFields({ due, rank })).toBe('due=2026-01-31')
})

test.each(fieldTypes)('what is shown for a field of type %s is taken', (type) => {
  const schema = { field: { type, required: true } }
  // As a shell passes it on.
  const words = exampleFields(schema).replaceAll("'", '').split(' ')

  expect(checkFields(schema, readFields(words))).toEqual([])
})
