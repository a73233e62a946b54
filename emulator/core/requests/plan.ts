import { SvcError } from '../../../client/protocol/model/errors.js'
import { selectPlan } from '../../store/plans.js'
import type { Backend } from '../context.js'
import type { KeptRequest } from './request-log.js'

/**
 * Explains a statement of a logged request with the database's current plan. Explains only reads, and runs nothing.
 *
 * @throws {SvcError} `NOT_FOUND`, `VALIDATION_ERROR`
 */
export async function explain(
  { db }: Backend,
  { id, statements }: KeptRequest,
  place: number,
): Promise<{ text: string; plan: string[] }> {
  const statement = statements[place]
  if (!statement) throw new SvcError('NOT_FOUND', `Request "${id}" has ${statements.length} logged statements.`)
  const { text, values } = statement
  const reads = /^\s*(?:select|with)\b/i.test(text) && !/\b(?:insert|update|delete|merge|lock|call)\b/i.test(text)
  if (!reads) throw new SvcError('VALIDATION_ERROR', 'Only read statements can be explained.')
  if (!values)
    throw new SvcError('VALIDATION_ERROR', 'The values of this statement were not logged, so it cannot be explained.')
  return { text, plan: await selectPlan(db, { text, values }) }
}
