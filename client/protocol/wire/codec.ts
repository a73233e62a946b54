import type { Json, Writable } from '../model/json.js'

/** A JSON Schema (2020-12), as OpenAPI 3.1 takes it. */
export interface JsonSchema {
  readonly [keyword: string]: unknown
}

/** One form of a value on the wire: what it looks like, how it is written, how it is read back. */
export interface Codec<Value, Outgoing = Value> {
  readonly schema: JsonSchema
  write(value: Outgoing): Writable
  read(body: Json): Value
}

/** A table of forms of one value. `forms<Value>()({…})` checks each form and keeps their names. */
export function forms<Value, Outgoing = Value>() {
  return <Table extends { readonly [form: string]: Codec<Value, Outgoing> }>(table: Table): Table => table
}
