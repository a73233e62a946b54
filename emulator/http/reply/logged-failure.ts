import { SvcError } from '../../../client/protocol/model/errors.js'
import { asSvcError, needsOperator } from '../../core/failures.js'
import type { HttpContext } from '../exchange.js'

/** What is answered for an error. One that no answer may tell is in the log, under the id of the request. Contract 10.6. */
export function loggedFailure({ log }: Pick<HttpContext, 'log'>, id: string, error: unknown): SvcError {
  const known = asSvcError(error)
  if (!known || needsOperator(error)) log.failure(id, error)
  if (known) return known
  return new SvcError('INTERNAL', `Something went wrong on our side. The log has more under "${id}": ${log.place}.`)
}
