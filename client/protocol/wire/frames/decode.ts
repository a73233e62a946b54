/** The `frames` axis, as clients decode it. */
import type { Change } from '../../model/change.js'
import type { Document } from '../../model/document.js'
import { isObject, type Json, type JsonObject } from '../../model/json.js'
import { documentOf } from '../document/decode.js'
import { eventReaders } from '../events/decode.js'

type DecodeDocument = (body: Json) => Document

export const frameReaders = {
  message: ({ document, collection }) => documentOf({ ...(document as JsonObject), collection }),
  model: ({ data = null }, decodeDocument) => decodeDocument(data),
} as const satisfies { readonly [form: string]: (frame: JsonObject, decodeDocument: DecodeDocument) => Document }

/** A change as an event describes it. */
export interface DecodedChange {
  readonly kind: Change['kind']
  readonly seq: number
  readonly document: Document
}

/** The change in an event of whatever form, since each shows; nothing in any other message. @throws {TypeError} */
export function readChange(frame: JsonObject, decodeDocument: DecodeDocument): DecodedChange | undefined {
  const { event, seq, document } = frame
  if (typeof event !== 'string') return undefined
  const kind = eventReaders[event.endsWith('d') ? 'past' : 'plain'](event) as Change['kind']
  const decode = frameReaders[isObject(document) ? 'message' : 'model']
  return { kind, seq: seq as number, document: decode(frame, decodeDocument) }
}
