/** A first document that a schema takes, as it is typed. */
import type { FieldType, Schema } from '../../client/protocol/model/collection.js'

const examples: { readonly [Type in FieldType]: string } = {
  string: '=Hello',
  number: ':=1',
  integer: ':=1',
  boolean: ':=true',
  array: ":='[]'",
  object: ":='{}'",
  datetime: '=2026-01-31',
  file: '=Hello',
  any: '=Hello',
}

/** The fields that are required, else the first one, else a title. */
export function exampleFields(schema: Schema): string {
  const rules = Object.entries(schema)
  const required = rules.filter(([, rule]) => rule.required && rule.default === undefined)
  const chosen = required.length > 0 ? required : rules.slice(0, 1)
  // Other names would have to be quoted, each shell in its own way.
  if (chosen.length === 0 || chosen.some(([name]) => !/^[\w.-]+$/.test(name))) return 'title=Hello'
  return chosen.map(([name, { type }]) => `${name}${examples[type]}`).join(' ')
}
