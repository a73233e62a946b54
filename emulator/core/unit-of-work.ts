/** What is written together, and what is published once it has been committed: whoever called the core. */
import { type Database, DatabaseError, type DatabaseErrorKind } from '../database/port.js'
import type { Bus, Message } from '../ports/bus/port.js'

/** Where something is written: the open transaction or, while none is open, the database. */
export interface UnitOfWork {
  readonly backend: { readonly bus: Bus }
  readonly db: Database
  /** What the open transaction publishes with its commit. */
  readonly pending: Message[] | undefined
}

/** Writes outside a transaction until `inTransaction` opens one. */
export function unitOf<Backend extends { readonly bus: Bus; readonly db: Database }>(backend: Backend) {
  return { backend, db: backend.db, pending: undefined }
}

/** Runs `work` in one transaction, joining the one that is open, and publishes what it has published once that is committed. */
export async function inTransaction<Unit extends UnitOfWork, Result>(
  unit: Unit,
  work: (unit: Unit) => Promise<Result>,
): Promise<Result> {
  if (unit.pending) return work(unit)
  const { bus } = unit.backend
  let pending: Message[] = []
  const result = await unit.db
    .transaction((db) => {
      // What is done again after a deadlock publishes what it has done this time.
      pending = []
      return work({ ...unit, db, pending })
    })
    .catch((error) => {
      if (isOf(error, ['unknown outcome'])) bus.publish(pending)
      throw error
    })
  if (pending.length > 0) bus.publish(pending)
  return result
}

/** Publishes what was written: with the commit of the open transaction, else at once. */
export function publish({ backend, pending }: UnitOfWork, message: Message): void {
  if (pending) pending.push(message)
  else backend.bus.publish([message])
}

/**
 * Publishes what one statement has changed, also where nobody knows whether it was committed.
 *
 * @param messageOf takes what was written or, where that is not known, nothing; answers nothing where nothing was changed
 */
export async function publishing<Written>(
  unit: UnitOfWork,
  messageOf: (written?: Written) => Message | undefined,
  write: () => Promise<Written>,
): Promise<Written> {
  const publishIfAny = (message: Message | undefined) => message && publish(unit, message)
  const written = await write().catch((error) => {
    if (!unit.pending && isOf(error, ['unknown outcome', 'unavailable'])) publishIfAny(messageOf())
    throw error
  })
  publishIfAny(messageOf(written))
  return written
}

export const identityChanged = (): Message => ({ kind: 'identity' })
export const settingsChanged = (): Message => ({ kind: 'settings' })

/** Where the connection broke before the answer, nobody knows: a message too many is harmless. */
function isOf(error: unknown, kinds: readonly DatabaseErrorKind[]): boolean {
  return error instanceof DatabaseError && kinds.includes(error.kind)
}
