/** What the client of a realtime connection says, and how it reads what it is told. Spec, "Realtime"; contract 9. */
import { type ErrorCode, isErrorCode, SvcError } from '../model/errors.js'
import type { JsonObject } from '../model/json.js'
import { type Dialect, formatDialect } from './dialect.js'

/** Asks for whole documents with the name of their collection, whatever the rest of the dialect looks like. */
export function realtimeDialect(spoken: Dialect): string {
  return formatDialect({ ...spoken, document: 'enveloped', events: 'past', frames: 'model' })
}

/** Nothing if it tells of no failure. */
export function readFailure({ code, message }: JsonObject): SvcError | undefined {
  if (typeof code !== 'string') return undefined
  const known: ErrorCode = isErrorCode(code) ? code : 'INTERNAL'
  return new SvcError(known, String(message))
}
