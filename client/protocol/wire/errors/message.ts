/** Failures in messages of a realtime connection. Spec, "Realtime"; contract 9. */
import { type ErrorCode, SvcError } from '../../model/errors.js'
import type { JsonObject } from '../../model/json.js'

/** Nothing for a message that is not a failure. */
export function decodeFailure({ code, message }: JsonObject): SvcError | undefined {
  return typeof code === 'string' ? new SvcError(code as ErrorCode, message as string) : undefined
}
