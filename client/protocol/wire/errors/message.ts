/** Decodes errors in messages of a realtime connection. Spec, "Realtime"; contract 9. */
import { type ErrorCode, SvcError } from '../../model/errors.js'
import type { JsonObject } from '../../model/json.js'

/** Returns undefined if the message is not an error. */
export function decodeFailure({ code, message }: JsonObject): SvcError | undefined {
  return typeof code === 'string' ? new SvcError(code as ErrorCode, message as string) : undefined
}
