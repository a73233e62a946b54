/** What the driver throws, as the port promises it. */
import { DatabaseError } from '../port.js'
import { mayWrite } from '../statement-kind.js'

interface Thrown {
  readonly code?: string
  readonly message: string
  readonly constraint?: string
  readonly position?: string
  /** The function of the server that raised it. */
  readonly routine?: string
}

/** Without a state of the server, the connection is what failed; what the port has said itself stays as it is. */
function asDatabaseError(error: unknown): DatabaseError {
  if (error instanceof DatabaseError) return error
  const { code, message, constraint, position } = error as Thrown
  return new DatabaseError(message, hasState(code) ? code : '08006', {
    kind: isStale(error) ? 'conflict' : undefined,
    constraint,
    position: position ? Number(position) : undefined,
  })
}

export function refuse(error: unknown): never {
  throw asDatabaseError(error)
}

/** Without an answer of the server to it, a commit may have gone through. */
export function refuseCommit(error: unknown): never {
  throw isCut(error) ? unknownOutcome(error) : asDatabaseError(error)
}

/** What a single statement that was sent fails with: it commits itself, so one that writes may have gone through as well. */
export function asSentError(error: unknown, text: string): DatabaseError {
  return isCut(error) && !isUnsent(error) && mayWrite(text) ? unknownOutcome(error) : asDatabaseError(error)
}

/**
 * The connection is gone, or going: the driver says so without a state of the server. A server that ends does, too (57P01, 57P02), also
 * when a commit is on its disk that no standby has confirmed yet.
 */
function isCut(error: unknown): boolean {
  const { code } = error as Thrown
  return !hasState(code) || code.startsWith('08') || code === '57P01' || code === '57P02'
}

/** The driver had noticed before that the connection is gone. */
function isUnsent(error: unknown): boolean {
  return / is not queryable/.test((error as Thrown).message)
}

function unknownOutcome(error: unknown): DatabaseError {
  return new DatabaseError((error as Thrown).message, '08007')
}

/** Serialization failures and deadlocks: the server has taken the whole transaction back. */
export function isRepeatable(error: unknown): boolean {
  return error instanceof DatabaseError && error.kind === 'conflict'
}

/**
 * A statement was prepared before a migration of a newer version gave its result other types. The state that comes with it, 0A000, is
 * that of everything unsupported.
 */
export function isStale(error: unknown): boolean {
  return (error as Thrown).routine === 'RevalidateCachedQuery'
}

/** A SQLSTATE, and not the name of a fault of the system, as `EPIPE`. */
function hasState(code: string | undefined): code is string {
  return code !== undefined && /^[0-9A-Z]{5}$/.test(code) && !/^E[A-Z]{4}$/.test(code)
}
