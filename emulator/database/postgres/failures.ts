/** Maps errors of the driver to those of the port. */
import { DatabaseError } from '../port.js'
import { mayWrite } from '../statement-kind.js'

interface Thrown {
  readonly code?: string
  readonly message: string
  readonly constraint?: string
  readonly detail?: string
  readonly position?: string
  /** The server function that raised it. */
  readonly routine?: string
}

/** Without a SQLSTATE, the connection failed. Errors of the port stay as they are. */
function asDatabaseError(error: unknown): DatabaseError {
  if (error instanceof DatabaseError) return error
  const { code, message, constraint, detail, position } = error as Thrown
  return new DatabaseError(message, hasState(code) ? code : '08006', {
    kind: isStale(error) ? 'conflict' : undefined,
    constraint,
    detail,
    position: position ? Number(position) : undefined,
  })
}

export function refuse(error: unknown): never {
  throw asDatabaseError(error)
}

/** Without an answer from the server, a commit may have succeeded. */
export function refuseCommit(error: unknown): never {
  throw isCut(error) ? unknownOutcome(error) : asDatabaseError(error)
}

/** Maps the error of a single statement. It commits itself, so one that writes may have succeeded. */
export function asSentError(error: unknown, text: string): DatabaseError {
  return isCut(error) && !isUnsent(error) && mayWrite(text) ? unknownOutcome(error) : asDatabaseError(error)
}

/**
 * Whether the connection is gone or going. Then the driver has no SQLSTATE. A server that shuts down sends 57P01 or
 * 57P02, even if a commit is on its disk but not yet confirmed by a standby.
 */
function isCut(error: unknown): boolean {
  const { code } = error as Thrown
  return !hasState(code) || code.startsWith('08') || code === '57P01' || code === '57P02'
}

/** Whether the driver knew before sending that the connection is gone. */
function isUnsent(error: unknown): boolean {
  return / is not queryable/.test((error as Thrown).message)
}

function unknownOutcome(error: unknown): DatabaseError {
  return new DatabaseError((error as Thrown).message, '08007')
}

/** Matches serialization failures and deadlocks: the server has rolled back the whole transaction. */
export function isRepeatable(error: unknown): boolean {
  return error instanceof DatabaseError && error.kind === 'conflict'
}

/**
 * Matches a prepared statement whose result types a newer version's migration has changed. Its state, 0A000, is also
 * used for everything unsupported.
 */
export function isStale(error: unknown): boolean {
  return (error as Thrown).routine === 'RevalidateCachedQuery'
}

/** Whether the code is a SQLSTATE, not a system error such as `EPIPE`. */
function hasState(code: string | undefined): code is string {
  return code !== undefined && /^[0-9A-Z]{5}$/.test(code) && !/^E[A-Z]{4}$/.test(code)
}
