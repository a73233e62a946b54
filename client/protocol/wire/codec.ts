import type { Json, Writable } from '../model/json.js'

/** A JSON Schema (2020-12), as OpenAPI 3.1 takes it. */
export interface JsonSchema {
  readonly [keyword: string]: unknown
}

/** One form of a value on the wire: what it looks like, how the service encodes it, how its clients decode it. */
export interface Codec<Value, Outgoing = Value> {
  readonly schema: JsonSchema
  encode(value: Outgoing): Writable
  decode(body: Json): Value
}
