import { plainError } from '../../client/model/error-words.js'
import { SvcError } from '../../client/model/errors.js'
import { DatabaseError } from '../database/database.js'

/** What may be said of a failure of the database that nobody answered; nothing if it is a fault of ours. */
export function databaseFault(error: unknown): SvcError | undefined {
  if (!(error instanceof DatabaseError)) return undefined
  const { sqlState, message } = error
  if (sqlState === '57014') {
    return new SvcError('UNAVAILABLE', 'That took too long. Ask for less, or filter on other fields.', [], {
      retryAfterSeconds: 1,
      cause: message,
    })
  }
  return isPassing.test(sqlState) ? plainError('UNAVAILABLE', { retryAfterSeconds: 1, cause: message }) : undefined
}

/** Lost connections, a lack of resources, a shutdown, and locks that could not be had. */
const isPassing = /^(?:08|53|57P|40001|40P01|55P03)/
