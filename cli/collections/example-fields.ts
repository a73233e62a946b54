/** Builds the arguments of a first document that the schema accepts. */
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
  link: '=ID',
  any: '=Hello',
}

/** Picks the required fields, else the first field, else a title. */
export function exampleFields(schema: Schema): string {
  const rules = Object.entries(schema)
  const required = rules.filter(([, rule]) => rule.required && rule.default === undefined)
  const chosen = required.length > 0 ? required : rules.slice(0, 1)
  // Other names need quotes, which differ between shells.
  if (chosen.length === 0 || chosen.some(([name]) => !/^[\w.-]+$/.test(name))) return 'title=Hello'
  return chosen.map(([name, { type }]) => `${name}${examples[type]}`).join(' ')
}
