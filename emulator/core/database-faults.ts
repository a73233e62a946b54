import { plainError } from '../../client/protocol/model/error-words.js'
import { type ErrorCode, SvcError } from '../../client/protocol/model/errors.js'
import { DatabaseError } from '../database/port.js'

/** What is said of a fault. Without words of its own, those of its code. */
interface Fault {
  readonly code: ErrorCode
  readonly words?: string
  readonly retryAfterSeconds: number
}

const passing: Fault = { code: 'UNAVAILABLE', retryAfterSeconds: 1 }

/**
 * Faults of a database by their SQLSTATE, its class, or the class with one character more. Both engines speak in these, so what
 * is not here is a fault of ours.
 */
const faults: { readonly [sqlState: string]: Fault } = {
  // Connections, and the outcome of a commit whose connection broke.
  '08': passing,
  '08007': { ...passing, words: 'The service does not know whether that was done. Look before you repeat it.' },
  // Serialization failures, deadlocks, and locks that could not be had.
  '40001': passing,
  '40P01': passing,
  '55P03': passing,
  // A lack of resources; a full disk is one that waiting alone does not end.
  '53': passing,
  '53100': { ...passing, words: 'The disk of the database is full. Free some space.', retryAfterSeconds: 5 },
  // Shutdowns, and statements that took too long.
  '57P': passing,
  '57014': { ...passing, words: 'That took too long. Ask for less, or filter on other fields.' },
}

/** What may be said of a failure of the database that nobody answered; nothing if it is a fault of ours. */
export function databaseFault(error: unknown): SvcError | undefined {
  if (!(error instanceof DatabaseError)) return undefined
  const { sqlState } = error
  const fault = [sqlState, sqlState.slice(0, 3), sqlState.slice(0, 2)].map((state) => faults[state]).find(Boolean)
  if (!fault) return undefined
  const extras = { retryAfterSeconds: fault.retryAfterSeconds, cause: error }
  return fault.words === undefined ? plainError(fault.code, extras) : new SvcError(fault.code, fault.words, [], extras)
}
