/**
 * The changes of each project that has subscribers: read once for all connections, in commit order, by number. A writer
 * says only that there is something to read. Contract 9.4.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { Database } from '../../database/port.js'
import type { Bus } from '../../ports/bus/port.js'
import { selectChanges } from '../../store/realtime/changes.js'
import { createFairSemaphore } from '../concurrency/fair-semaphore.js'
import { handOver, replay, stepAside } from './catching-up.js'
import {
  addTo,
  announce,
  type FeedConnection,
  hand,
  type Listener,
  type Moment,
  positionOf,
  type Reader,
  receive,
  removeFrom,
} from './connections.js'
import { between, type FeedState, projectReader, retryMilliseconds, wake } from './readers.js'
import type { Subscriber } from './subscriber.js'

export type { Listener } from './connections.js'
export { retryMilliseconds } from './readers.js'

export interface Feeds {
  /**
   * Hands a listener everything after `since`, or after now, and from then on whatever happens. Resolves once what it receives is
   * in one order with what the others of its connection do.
   */
  join(project: string, listener: Listener, since: number | undefined): Promise<void>
  /** Puts a listener in the place of another of its connection, without a gap; false where that one is still catching up. */
  replace(former: Listener, listener: Listener): boolean
  /** Hands a listener nothing more; answers the number up to which it has received everything. */
  leave(listener: Listener): number
  /** The newest number that a listener has received, or that was none of its business. */
  position(listener: Listener): number
  /** How many listeners there are, and on how many connections. */
  open(): { readonly connections: number; readonly subscriptions: number }
  close(): void
}

/** Connections that catch up at once: other requests are not kept waiting behind all of them. Projects take turns. */
const mostReplays = 2

export function openFeeds(db: Database, bus: Bus, report: (error: unknown) => void): Feeds {
  const state: FeedState = {
    db,
    report,
    readers: new Map(),
    connections: new WeakMap(),
    replays: createFairSemaphore({ limit: mostReplays }),
    reads: new Map(),
    stepAside: (reader, connection) => void stepAside(state, reader, connection),
  }
  const unsubscribe = bus.subscribe({
    changes({ project, seq }) {
      const readers = project === null ? [...state.readers.values()] : [state.readers.get(project)]
      for (const reader of readers) if (reader && (seq === null || reader.cursor < seq)) wake(state, reader)
    },
    identity: () => undefined,
    settings: () => undefined,
  })
  const listening = new Set<Listener>()
  return {
    join(project, listener, since) {
      listening.add(listener)
      return join(state, project, listener, since)
    },
    replace(former, listener) {
      const isReplaced = replace(state, former, listener)
      if (isReplaced) listening.add(listener).delete(former)
      return isReplaced
    },
    leave(listener) {
      listening.delete(listener)
      return leave(state, listener)
    },
    position(listener) {
      const connection = state.connections.get(listener.subscriber)
      const isIn = connection?.listeners.get(listener.collection)?.includes(listener)
      return connection && isIn ? positionOf(connection, listener) : listener.position
    },
    open() {
      // One that ended while it was joining is still listed.
      const open = [...listening].filter((listener) => !listener.isOver())
      return { connections: new Set(open.map(({ subscriber }) => subscriber)).size, subscriptions: open.length }
    },
    close() {
      unsubscribe()
      state.readers.clear()
    },
  }
}

async function join(state: FeedState, project: string, listener: Listener, since: number | undefined): Promise<void> {
  const connection = connectionOf(state, project, listener.subscriber)
  let isIn = await between(state, connection, (moment) => begin(moment, connection, listener, since))
  while (!isIn) {
    try {
      // Long ago first, without holding up the others.
      await replay(state, project, listener)
      isIn = await between(state, connection, ({ reader }) => enter(state, reader, connection, listener))
    } catch (error) {
      // It has begun, so a database that fails for a while costs it nothing but time.
      state.report(error)
      await pause(retryMilliseconds)
    }
  }
}

/** Says where a listener begins; whether it has nothing to catch up with. */
async function begin(
  { reader, kept }: Moment,
  connection: FeedConnection,
  listener: Listener,
  since: number | undefined,
): Promise<boolean> {
  const { oldest, lastSeq, beginning } = await kept()
  const after = since === 0 ? beginning : since
  const isKept =
    after !== undefined && after <= lastSeq && (after === lastSeq || (oldest !== null && oldest <= after + 1))
  listener.position = isKept ? after : lastSeq
  listener.begun(since === undefined || isKept)
  if (listener.position < lastSeq) return false
  add(reader, connection, listener)
  return true
}

/** Adds a listener to those of its connection; not if so much has happened meanwhile that it has to catch up again. */
async function enter(
  { db }: FeedState,
  reader: Reader,
  connection: FeedConnection,
  listener: Listener,
): Promise<boolean> {
  const { project, cursor } = reader
  if (listener.position < cursor && !listener.isOver()) {
    const range = { project, collections: [listener.collection], after: listener.position }
    const { changes, isAll } = await selectChanges(db, range)
    const missed = changes.filter(({ seq }) => seq <= cursor)
    // Without waiting, since the others wait for it.
    const isWhole = await handOver(missed, listener.subscriber, (change) => hand(listener, change))
    if (!isWhole || (!isAll && missed.length === changes.length)) return false
    listener.position = Math.max(listener.position, cursor)
  }
  add(reader, connection, listener)
  return true
}

function add(reader: Reader, connection: FeedConnection, listener: Listener): void {
  // What came since the last read is for this listener, too.
  reader.isWanted = true
  if (listener.isOver()) return
  receive(reader, connection, listener.position)
  addTo(connection, listener)
  announce(connection, reader.cursor)
}

function replace({ connections }: FeedState, former: Listener, listener: Listener): boolean {
  const connection = connections.get(former.subscriber)
  if (!connection || connection.unannounced.includes(former) || former.collection !== listener.collection) return false
  const position = positionOf(connection, former)
  if (!removeFrom(connection, former)) return false
  listener.position = position
  addTo(connection, listener)
  announce(connection, position)
  return true
}

function leave({ readers, connections }: FeedState, listener: Listener): number {
  const connection = connections.get(listener.subscriber)
  if (!connection || !removeFrom(connection, listener)) return listener.position
  const { reader } = connection
  if (connection.listeners.size === 0) reader.connections.delete(connection)
  if (reader.connections.size === 0 && !reader.isReading) readers.delete(reader.project)
  return positionOf(connection, listener)
}

function connectionOf(state: FeedState, project: string, subscriber: Subscriber): FeedConnection {
  const known = state.connections.get(subscriber)
  if (known) return known
  const reader = projectReader(state, project)
  const connection: FeedConnection = { subscriber, listeners: new Map(), unannounced: [], position: 0, reader }
  state.connections.set(subscriber, connection)
  return connection
}
