/** The `record` axis: wrappers of a record. */
import type { Json, Writable } from '../../model/json.js'
import type { JsonSchema } from '../codec.js'
import { object } from '../json-schema.js'
import { recordDecoders } from './decode.js'

interface RecordEnvelope {
  schema(record: JsonSchema): JsonSchema
  encode(record: Writable): Writable
  decode(body: Json): Json
}

export const recordEnvelopes = {
  bare: { schema: (record) => record, encode: (record) => record, decode: recordDecoders.bare },
  success: {
    schema: (record) => object({ success: { const: true }, data: record }),
    encode: (data) => ({ success: true, data }),
    decode: recordDecoders.success,
  },
} as const satisfies Record<keyof typeof recordDecoders, RecordEnvelope>
