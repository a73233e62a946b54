/** Decodes events. Clients request one form of the axes `events` and `frames`, but accept all. */
import type { Change } from '../../model/change.js'
import type { Document } from '../../model/document.js'
import { isObject, type Json, type JsonObject } from '../../model/json.js'
import { buildDocument } from '../document/decode.js'
import { kindNamed } from '../events/decode.js'

/** A change in an event. */
export interface DecodedChange {
  readonly kind: Change['kind']
  readonly seq: number
  readonly document: Document
}

/** Decodes the change in an event; undefined for other messages. @throws {SvcError} */
export function decodeChange(frame: JsonObject, decodeDocument: (body: Json) => Document): DecodedChange | undefined {
  const { event, seq, collection, document, data } = frame
  const kind = kindNamed(event)
  if (!kind) return undefined
  const decoded = isObject(document) ? buildDocument({ ...document, collection }) : decodeDocument(data as Json)
  return { kind, seq: seq as number, document: decoded }
}
