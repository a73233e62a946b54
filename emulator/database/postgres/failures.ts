/** What the driver throws, as the port promises it. */
import { DatabaseError } from '../port.js'

interface Thrown {
  readonly code?: string
  readonly message: string
  readonly constraint?: string
  readonly position?: string
  /** The function of the server that raised it. */
  readonly routine?: string
}

/** Without a state of the server, the connection is what failed. */
export function asDatabaseError(error: unknown): DatabaseError {
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

/** Without an answer of the server, a commit may have gone through. */
export function refuseCommit(error: unknown): never {
  const { code, message } = error as { code?: string; message: string }
  throw new DatabaseError(message, hasState(code) ? code : '08007')
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
