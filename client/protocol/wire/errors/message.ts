/** What the client of a realtime connection says, and how it reads what it is told. Spec, "Realtime"; contract 9. */
import { type ErrorCode, SvcError } from '../../model/errors.js'
import type { JsonObject } from '../../model/json.js'

/** Nothing if it tells of no failure. */
export function readFailure({ code, message }: JsonObject): SvcError | undefined {
  if (typeof code !== 'string') return undefined
  return new SvcError(code as ErrorCode, String(message))
}
