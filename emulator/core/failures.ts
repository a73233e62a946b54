/** The one table of what a failure of the database or of the file storage means to the client. */
import { plainError, unknownOutcome } from '../../client/protocol/model/error-words.js'
import { type ErrorCode, SvcError } from '../../client/protocol/model/errors.js'
import { DatabaseError, type DatabaseErrorKind } from '../database/port.js'
import { StorageError, type StorageErrorKind } from '../ports/files/port.js'

interface Meaning {
  readonly code: ErrorCode
  /** Left out, the words of the code. */
  readonly words?: string
  readonly retryAfterSeconds?: number
}

const removedProject: Meaning = { code: 'NOT_FOUND', words: 'The project was removed.' }

/** A fault of ours: it is logged, and answered with a 500. */
const fault = undefined

const busy: Meaning = { code: 'UNAVAILABLE', retryAfterSeconds: 1 }

const ofDatabase = {
  unavailable: busy,
  'unknown outcome': { ...busy, words: unknownOutcome },
  conflict: busy,
  locked: busy,
  'out of resources': busy,
  // Waiting alone does not free a disk.
  'disk full': { ...busy, words: 'The disk of the database is full. Free some space.', retryAfterSeconds: 5 },
  'disk nearly full': { ...busy, words: 'The disk is nearly full. Free some space.', retryAfterSeconds: 5 },
  timeout: { ...busy, words: 'That took too long. Ask for less, or filter on other fields.' },
  'result too large': { code: 'RESULT_TOO_LARGE' },
  taken: fault,
  gone: fault,
  'missing table': fault,
  exists: fault,
  damaged: fault,
  'faulty statement': fault,
} as const satisfies Record<DatabaseErrorKind, Meaning | undefined>

const ofStorage = {
  full: { ...busy, words: 'The disk is nearly full. Free some space.', retryAfterSeconds: 5 },
  unreachable: { ...busy, words: 'File storage does not answer.' },
  refused: { ...busy, words: 'File storage refuses the service.' },
  failed: fault,
} as const satisfies Record<StorageErrorKind, Meaning | undefined>

/** What it means that a value is taken, by the unique index that has it. Of others the rules make sure beforehand. */
const ofIndexes: Readonly<Record<string, Meaning>> = {
  collections_project_id_name_key: { code: 'COLLECTION_EXISTS' },
  users_email: { code: 'EMAIL_ALREADY_EXISTS' },
}

/** Of the row of a project, by whatever belongs to one: it was removed while the request was at work. */
const ofProjects = /_project_id_fkey$/

/** What may be said of a failure; nothing if it is a fault of ours. */
export function asSvcError(error: unknown): SvcError | undefined {
  if (error instanceof SvcError) return error
  const meaning = meaningOf(error)
  if (!meaning) return undefined
  const { code, words, retryAfterSeconds } = meaning
  const extras = { cause: error, ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }) }
  return words === undefined ? plainError(code, extras) : new SvcError(code, words, [], extras)
}

/**
 * Whether it belongs in the log although the answer is no fault: it lasts until an operator does something about it, or nothing in the
 * background would log why, as it does for a database that does not answer.
 */
export function needsOperator(error: unknown): boolean {
  const isRefused = error instanceof DatabaseError && error.sqlState.startsWith('28')
  return isRefused || (error instanceof StorageError && (error.kind === 'refused' || error.kind === 'unreachable'))
}

function meaningOf(error: unknown): Meaning | undefined {
  if (error instanceof StorageError) return ofStorage[error.kind]
  if (!(error instanceof DatabaseError)) return undefined
  if (error.kind === 'gone' && ofProjects.test(error.constraint ?? '')) return removedProject
  return error.kind === 'taken' ? ofIndexes[error.constraint ?? ''] : ofDatabase[error.kind]
}
