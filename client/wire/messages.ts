/** What the client of a realtime connection says, and how it reads what it is told. Spec, "Realtime"; contract 9. */
import type { Document } from '../model/document.js'
import { type ErrorCode, isErrorCode, SvcError } from '../model/errors.js'
import { type JsonObject, objectIn, parseJson } from '../model/json.js'
import { type Dialect, formatDialect } from './dialect.js'
import { readEventName, readFrame } from './events.js'
import { documentReaders } from './readers.js'

/** A change as it is told. */
export interface ToldChange {
  readonly kind: 'created' | 'updated' | 'deleted'
  readonly seq: number
  readonly document: Document
}

/** Asks for whole documents with the name of their collection, whatever the rest of the dialect looks like. */
export function realtimeDialect(spoken: Dialect): string {
  return formatDialect({ ...spoken, document: 'enveloped', events: 'past', frames: 'model' })
}

/** Nothing if it tells of no change. A service that knows one kind of frame only is understood too. */
export function readChange(body: JsonObject): ToldChange | undefined {
  if (typeof body.event !== 'string') return undefined
  const { event, seq, document } = readFrame(body, documentReaders.enveloped)
  return { kind: readEventName(event), seq, document }
}

/** Nothing if it tells of no failure. */
export function readFailure({ code, message }: JsonObject): SvcError | undefined {
  if (typeof code !== 'string') return undefined
  const known: ErrorCode = isErrorCode(code) ? code : 'INTERNAL'
  return new SvcError(known, String(message))
}

/** The JSON object in a text; an empty one if it is none. */
export function readMessage(text: string): JsonObject {
  return objectIn(parseJson(text))
}
