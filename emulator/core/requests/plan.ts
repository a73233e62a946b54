import { SvcError } from '../../../client/protocol/model/errors.js'
import { selectPlan } from '../../store/plans.js'
import type { Backend } from '../context.js'
import type { KeptRequest } from './request-log.js'

/**
 * The plan that the database makes now for a statement that a request ran. Only what reads is explained, and nothing runs.
 *
 * @throws {SvcError} `NOT_FOUND`, `VALIDATION_ERROR`
 */
export async function explain(
  { db }: Backend,
  { id, statements }: KeptRequest,
  place: number,
): Promise<{ text: string; plan: string[] }> {
  const statement = statements[place]
  if (!statement) throw new SvcError('NOT_FOUND', `Request "${id}" keeps ${statements.length} statements.`)
  const { text, values } = statement
  const reads = /^\s*(?:select|with)\b/i.test(text) && !/\b(?:insert|update|delete|merge|lock|call)\b/i.test(text)
  if (!reads) throw new SvcError('VALIDATION_ERROR', 'Only statements that read are explained.')
  if (!values) throw new SvcError('VALIDATION_ERROR', 'The values of this statement are not kept, so it has no plan.')
  return { text, plan: await selectPlan(db, { text, values }) }
}
