/** The `frames` axis: wrappers of the document in an event. Spec, "Events". */
import type { Document, OutgoingDocument } from '../../model/document.js'
import type { Writable } from '../../model/json.js'
import type { Codec, JsonSchema } from '../codec.js'
import { count, object, text } from '../json-schema.js'

interface FrameForm {
  readonly schema: JsonSchema
  encode(
    frame: { readonly event: string; readonly seq: number; readonly document: OutgoingDocument },
    shape: Codec<Document, OutgoingDocument>,
  ): Writable
}

export const frameForms = {
  /** The document is always `{id, data, createdAt}`, independent of the document axis. */
  message: {
    schema: object({
      type: { const: 'event' },
      collection: text,
      event: text,
      seq: count,
      document: { type: 'object' },
    }),
    encode: ({ event, seq, document: { id, collection, data, createdAt } }) => ({
      type: 'event',
      collection,
      event,
      seq,
      document: { id, data: data as Writable, createdAt },
    }),
  },
  model: {
    schema: object({ event: text, seq: count, data: { type: 'object' } }),
    encode: ({ event, seq, document }, shape) => ({ event, seq, data: shape.encode(document) }),
  },
} as const satisfies { readonly [form: string]: FrameForm }
