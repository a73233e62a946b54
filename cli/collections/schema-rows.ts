import type { Schema } from '../../client/protocol/model/collection.js'
import type { Row } from '../terminal/print.js'

/** Formats each rule of a schema as a table row. */
export function ruleRows(schema: Schema): Row[] {
  return Object.entries(schema).map(([field, { type, required = false, default: value }]) => ({
    field,
    type,
    required,
    ...(value === undefined ? {} : { default: value }),
  }))
}
