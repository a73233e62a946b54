/** Maps failures of the database and of the file storage to errors for the client. */
import { plainError, unknownOutcome } from '../../client/protocol/model/error-words.js'
import { type ErrorCode, SvcError } from '../../client/protocol/model/errors.js'
import { DatabaseError, type DatabaseErrorKind } from '../database/port.js'
import { StorageError, type StorageErrorKind } from '../ports/files/port.js'

interface Meaning {
  readonly code: ErrorCode
  /** Defaults to the message of the code. */
  readonly message?: string
  readonly retryAfterSeconds?: number
}

const removedProject: Meaning = { code: 'NOT_FOUND', message: 'The project was removed.' }

/** An internal error: logged, and answered with a 500. */
const fault = undefined

const busy: Meaning = { code: 'UNAVAILABLE', retryAfterSeconds: 1 }

const ofDatabase = {
  unavailable: busy,
  'unknown outcome': { ...busy, message: unknownOutcome },
  conflict: busy,
  locked: busy,
  'out of resources': busy,
  // Waits longer, because waiting alone does not free disk space.
  'disk full': { ...busy, message: "The database's disk is full. Free some space.", retryAfterSeconds: 5 },
  'disk nearly full': { ...busy, message: 'The disk is nearly full. Free some space.', retryAfterSeconds: 5 },
  timeout: { ...busy, message: 'The request took too long. Request less data, or filter on other fields.' },
  'result too large': { code: 'RESULT_TOO_LARGE' },
  taken: fault,
  gone: fault,
  'missing table': fault,
  exists: fault,
  damaged: fault,
  'faulty statement': fault,
} as const satisfies Record<DatabaseErrorKind, Meaning | undefined>

const ofStorage = {
  full: { ...busy, message: 'The disk is nearly full. Free some space.', retryAfterSeconds: 5 },
  unreachable: { ...busy, message: 'The file storage does not respond.' },
  refused: { ...busy, message: "The file storage rejects the service's credentials." },
  failed: fault,
} as const satisfies Record<StorageErrorKind, Meaning | undefined>

/** Errors for unique indexes. The rules check all other constraints in advance. */
const ofIndexes: Readonly<Record<string, Meaning>> = {
  collections_project_id_name_key: { code: 'COLLECTION_EXISTS' },
  users_email: { code: 'EMAIL_ALREADY_EXISTS' },
}

/** Constraint of rows that belong to a project: it was removed while the request ran. */
const ofProjects = /_project_id_fkey$/

/** Maps an error to what the client may see; undefined for internal errors. */
export function asSvcError(error: unknown): SvcError | undefined {
  if (error instanceof SvcError) return error
  const meaning = findMeaning(error)
  if (!meaning) return undefined
  const { code, message, retryAfterSeconds } = meaning
  const extras = { cause: error, ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }) }
  return message === undefined ? plainError(code, extras) : new SvcError(code, message, [], extras)
}

/**
 * Tells whether to log an error that has a regular response: it lasts until an operator acts, or no background work
 * would log its cause, as it does for an unavailable database.
 */
export function needsOperator(error: unknown): boolean {
  const isRefused = error instanceof DatabaseError && error.sqlState.startsWith('28')
  return isRefused || (error instanceof StorageError && (error.kind === 'refused' || error.kind === 'unreachable'))
}

function findMeaning(error: unknown): Meaning | undefined {
  if (error instanceof StorageError) return ofStorage[error.kind]
  if (!(error instanceof DatabaseError)) return undefined
  if (error.kind === 'gone' && ofProjects.test(error.constraint ?? '')) return removedProject
  return error.kind === 'taken' ? ofIndexes[error.constraint ?? ''] : ofDatabase[error.kind]
}
