import { SvcError } from '../../../client/protocol/model/errors.js'
import { asSvcError, needsOperator } from '../../core/failures.js'
import type { HttpContext } from '../http-context.js'

/**
 * Converts an error to the one to answer with. Logs an internal error under the id of the request instead of revealing it.
 * Contract 10.6.
 */
export function loggedFailure({ log }: Pick<HttpContext, 'log'>, id: string, error: unknown): SvcError {
  const known = asSvcError(error)
  if (!known || needsOperator(error)) log.failure(id, error)
  if (known) return known
  return new SvcError('INTERNAL', `Something went wrong on our side. See the log for "${id}": ${log.place}.`)
}
