/** Events, as clients decode them: they ask for one form of the axes `events` and `frames`, and take the others as well. */
import type { Change } from '../../model/change.js'
import type { Document } from '../../model/document.js'
import { isObject, type Json, type JsonObject } from '../../model/json.js'
import { documentOf } from '../document/decode.js'
import { kindNamed } from '../events/decode.js'

/** A change as an event describes it. */
export interface DecodedChange {
  readonly kind: Change['kind']
  readonly seq: number
  readonly document: Document
}

/** The change in an event, of which one frame has the document under that name; nothing in any other message. @throws {SvcError} */
export function decodeChange(frame: JsonObject, decodeDocument: (body: Json) => Document): DecodedChange | undefined {
  const { event, seq, collection, document, data } = frame
  const kind = kindNamed(event)
  if (!kind) return undefined
  const decoded = isObject(document) ? documentOf({ ...document, collection }) : decodeDocument(data as Json)
  return { kind, seq: seq as number, document: decoded }
}
