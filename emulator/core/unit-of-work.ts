/** What is written together, and what is published once it has been committed, however the core was called. */
import { type Database, DatabaseError, type DatabaseErrorKind, makingRoomIn } from '../database/port.js'
import type { Bus, Message } from '../ports/bus/port.js'
import type { Happened } from './events/event-log.js'

interface Outlets {
  readonly bus: Bus
  readonly events: { add(event: Happened): void }
}

/** Where something is written: the open transaction or, while none is open, the database. */
export interface UnitOfWork {
  readonly backend: Outlets
  readonly db: Database
  /** What the open transaction publishes with its commit. */
  readonly pending: Pending | undefined
  /** The request that it is for; left out, none. */
  readonly requestId?: string | undefined
}

interface Pending {
  readonly messages: Message[]
  readonly events: Happened[]
}

/** Writes outside a transaction until `inTransaction` opens one. */
export function unitOf<Backend extends Outlets & { readonly db: Database; readonly requestId?: string | undefined }>(
  backend: Backend,
) {
  return { backend, db: backend.db, pending: undefined, requestId: backend.requestId }
}

/**
 * The same, for what frees more space than it takes, with all that it records of itself: it goes through where the disk is nearly full.
 * Decision 67.
 */
export function makingRoom<Unit extends Pick<UnitOfWork, 'db'>>(unit: Unit): Unit {
  return { ...unit, db: makingRoomIn(unit.db) }
}

/** Runs `work` in one transaction, joining the one that is open, and publishes what it has published once that is committed. */
export async function inTransaction<Unit extends UnitOfWork, Result>(
  unit: Unit,
  work: (unit: Unit) => Promise<Result>,
): Promise<Result> {
  if (unit.pending) return work(unit)
  let pending = nothing()
  const result = await unit.db
    .transaction((db) => {
      // What is done again after a deadlock publishes what it has done this time.
      pending = nothing()
      return work({ ...unit, db, pending })
    })
    .catch((error) => {
      if (isOf(error, ['unknown outcome'])) void unit.backend.bus.publish(pending.messages)
      throw error
    })
  // A client that has changed settings, roles or keys asks for it next, and perhaps of another process.
  if (pending.messages.length > 0) await unit.backend.bus.publish(pending.messages)
  for (const event of pending.events) unit.backend.events.add(event)
  return result
}

const nothing = (): Pending => ({ messages: [], events: [] })

/** Publishes what was written: with the commit of the open transaction, else at once. */
export function publish({ backend, pending }: UnitOfWork, message: Message): void {
  if (pending) pending.messages.push(message)
  else void backend.bus.publish([message])
}

/** Publishes what happened to the stream of all events: with the commit of the open transaction, else at once. */
export function happened({ backend, pending }: Pick<UnitOfWork, 'backend' | 'pending'>, event: Happened): void {
  if (pending) pending.events.push(event)
  else backend.events.add(event)
}

/**
 * Publishes what one statement has changed, also where it is unknown whether it was committed. Outside a transaction it answers
 * once that is published, as `inTransaction` does.
 *
 * @param messageOf takes what was written or, where that is not known, nothing; answers nothing where nothing was changed
 */
export async function publishing<Written>(
  unit: UnitOfWork,
  messageOf: (written?: Written) => Message | undefined,
  write: () => Promise<Written>,
): Promise<Written> {
  const { pending, backend } = unit
  const written = await write().catch((error) => {
    const message = !pending && isOf(error, ['unknown outcome', 'unavailable']) ? messageOf() : undefined
    if (message) void backend.bus.publish([message])
    throw error
  })
  const message = messageOf(written)
  if (message && pending) pending.messages.push(message)
  else if (message) await backend.bus.publish([message])
  return written
}

export const identityChanged = (): Message => ({ kind: 'identity' })
export const settingsChanged = (): Message => ({ kind: 'settings' })

/** Where the connection broke before the answer, that is unknown: a message too many is harmless. */
function isOf(error: unknown, kinds: readonly DatabaseErrorKind[]): boolean {
  return error instanceof DatabaseError && kinds.includes(error.kind)
}
