/** Groups writes into transactions, and publishes their messages and events after the commit. */
import { type Database, DatabaseError, type DatabaseErrorKind, makingRoomIn } from '../database/port.js'
import type { Bus, Message } from '../ports/bus/port.js'
import type { FairSemaphore } from './concurrency/fair-semaphore.js'
import type { Happened } from './events/event-log.js'

interface Outlets {
  readonly bus: Bus
  readonly events: { add(event: Happened): void }
  readonly transactions: FairSemaphore
}

/** The caller that the work is done for. The service's own work has none. */
interface Owned {
  readonly project?: { readonly id: string }
  readonly caller?: { readonly id: string }
}

/** The open transaction, or the database if there is none. */
export interface UnitOfWork {
  readonly backend: Outlets
  readonly db: Database
  /** Messages and events to publish after the commit. */
  readonly pending: Pending | undefined
  /** Id of the request that the work belongs to, if any. */
  readonly requestId?: string | undefined
}

interface Pending {
  readonly messages: Message[]
  readonly events: Happened[]
}

/** Creates a unit without a transaction. `inTransaction` opens one. */
export function unitFor<Backend extends Outlets & { readonly db: Database; readonly requestId?: string | undefined }>(
  backend: Backend,
) {
  return { backend, db: backend.db, pending: undefined, requestId: backend.requestId }
}

/**
 * Returns a unit for work that frees more space than it takes, including its own records. It is allowed when the disk
 * is nearly full. Decision 67.
 */
export function makingRoom<Unit extends Pick<UnitOfWork, 'db'>>(unit: Unit): Unit {
  return { ...unit, db: makingRoomIn(unit.db) }
}

/**
 * Runs `work` in a transaction, or in the open one, and publishes its messages after the commit. Callers take turns.
 *
 * @throws {SvcError} `UNAVAILABLE` if it has not begun in time
 */
export async function inTransaction<Unit extends UnitOfWork & Owned, Result>(
  unit: Unit,
  work: (unit: Unit) => Promise<Result>,
): Promise<Result> {
  const { backend, project, caller } = unit
  if (unit.pending) return work(unit)
  let pending = nothing()
  const transact = () =>
    unit.db.transaction((db) => {
      // Starts over, because a retry after a deadlock publishes its messages again.
      pending = nothing()
      return work({ ...unit, db, pending })
    })
  const inTurn = project && caller ? backend.transactions.run([project.id, caller.id], transact) : transact()
  const result = await inTurn.catch((error) => {
    if (hasKind(error, ['unknown outcome'])) void backend.bus.publish(pending.messages)
    throw error
  })
  // Waits for the bus, because a client that changed settings, roles or keys may next reach another process.
  if (pending.messages.length > 0) await backend.bus.publish(pending.messages)
  for (const event of pending.events) backend.events.add(event)
  return result
}

const nothing = (): Pending => ({ messages: [], events: [] })

/** Publishes a message after the commit of the open transaction, or at once without one. */
export function publish({ backend, pending }: UnitOfWork, message: Message): void {
  if (pending) pending.messages.push(message)
  else void backend.bus.publish([message])
}

/** Adds an event to the event log after the commit of the open transaction, or at once without one. */
export function happened({ backend, pending }: Pick<UnitOfWork, 'backend' | 'pending'>, event: Happened): void {
  if (pending) pending.events.push(event)
  else backend.events.add(event)
}

/**
 * Publishes the change of a single statement, even if its commit is uncertain. Outside a transaction it resolves after
 * publishing, like `inTransaction`.
 *
 * @param messageOf gets the result, or undefined if it is unknown; returns undefined if nothing changed
 */
export async function publishing<Written>(
  unit: UnitOfWork,
  buildMessage: (written?: Written) => Message | undefined,
  write: () => Promise<Written>,
): Promise<Written> {
  const { pending, backend } = unit
  const written = await write().catch((error) => {
    const message = !pending && hasKind(error, ['unknown outcome', 'unavailable']) ? buildMessage() : undefined
    if (message) void backend.bus.publish([message])
    throw error
  })
  const message = buildMessage(written)
  if (message && pending) pending.messages.push(message)
  else if (message) await backend.bus.publish([message])
  return written
}

export const identityChanged = (): Message => ({ kind: 'identity' })
export const settingsChanged = (): Message => ({ kind: 'settings' })

/** Includes uncertain outcomes, because an extra message is harmless. */
function hasKind(error: unknown, kinds: readonly DatabaseErrorKind[]): boolean {
  return error instanceof DatabaseError && kinds.includes(error.kind)
}
