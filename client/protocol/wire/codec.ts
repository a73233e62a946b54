import type { Json, Writable } from '../model/json.js'

/** A JSON Schema (2020-12) for OpenAPI 3.1. */
export interface JsonSchema {
  readonly [keyword: string]: unknown
}

/** One form of a value on the wire: its schema, encoder and decoder. */
export interface Codec<Value, Outgoing = Value> {
  readonly schema: JsonSchema
  encode(value: Outgoing): Writable
  decode(body: Json): Value
}
