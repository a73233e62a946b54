/**
 * Reads the changes of each project with subscribers once for all connections, in commit order. Writers only signal that there
 * is something to read. Contract 9.4.
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
  getPosition,
  hand,
  type Listener,
  type Moment,
  type Reader,
  receive,
  removeFrom,
} from './connections.js'
import { withLinks } from './linked-members.js'
import { between, type FeedState, projectReader, retryMilliseconds, wake } from './readers.js'
import type { Subscriber } from './subscriber.js'

export type { Listener } from './connections.js'
export { retryMilliseconds } from './readers.js'

export interface Feeds {
  /**
   * Sends a listener every change after `since`, or from now on. Resolves once the listener is in step with the others of its
   * connection.
   */
  join(project: string, listener: Listener, since: number | undefined): Promise<void>
  /** Replaces a listener of the same connection without a gap. Returns false while the former is still catching up. */
  replace(former: Listener, listener: Listener): boolean
  /** Stops a listener. Returns the number of the change up to which it has received everything. */
  leave(listener: Listener): number
  /** Returns the newest change that a listener has received or did not need. */
  position(listener: Listener): number
  /** Counts the listeners and their connections. */
  open(): { readonly connections: number; readonly subscriptions: number }
  close(): void
}

/** How many connections catch up at once, so that other requests don't wait behind all of them. Projects take turns. */
const maxReplays = 2

export function openFeeds(db: Database, bus: Bus, report: (error: unknown) => void): Feeds {
  const state: FeedState = {
    db,
    report,
    readers: new Map(),
    connections: new WeakMap(),
    replays: createFairSemaphore({ limit: maxReplays }),
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
      return connection && isIn ? getPosition(connection, listener) : listener.position
    },
    open() {
      // A listener that ended while joining is still listed.
      const open = [...listening].filter((listener) => !listener.isOver() && !listener.isFollower)
      return { connections: new Set(open.map(({ subscriber }) => subscriber)).size, subscriptions: open.length }
    },
    close() {
      unsubscribe()
      state.readers.clear()
    },
  }
}

async function join(state: FeedState, project: string, listener: Listener, since: number | undefined): Promise<void> {
  const connection = getConnection(state, project, listener.subscriber)
  let isIn = await between(state, connection, (moment) => begin(moment, connection, listener, since))
  while (!isIn) {
    try {
      // Replays old changes first, without holding up the others.
      await replay(state, project, listener)
      isIn = await between(state, connection, ({ reader }) => enter(state, reader, connection, listener))
    } catch (error) {
      // The listener has begun, so a temporary database failure only delays it.
      state.report(error)
      await pause(retryMilliseconds)
    }
  }
}

/** Sets where a listener begins. Returns whether it has nothing to catch up on. */
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
  listener.begun({ isWhole: since === undefined || isKept, isReplayed: since !== undefined })
  if (listener.position < lastSeq) return false
  add(reader, connection, listener)
  return true
}

/** Adds a listener to those of its connection. Returns false if it has fallen too far behind again. */
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
    // Doesn't wait, because the others wait for it.
    const isWhole = await withLinks(db, missed, [listener], (links) =>
      handOver(missed, listener.subscriber, (change) => hand(listener, change, links)),
    )
    if (!isWhole || (!isAll && missed.length === changes.length)) return false
    listener.position = Math.max(listener.position, cursor)
  }
  add(reader, connection, listener)
  return true
}

function add(reader: Reader, connection: FeedConnection, listener: Listener): void {
  // This listener also needs the changes since the last read.
  reader.isWanted = true
  if (listener.isOver()) return
  receive(reader, connection, listener.position)
  addTo(connection, listener)
  announce(connection, reader.cursor)
}

function replace({ connections }: FeedState, former: Listener, listener: Listener): boolean {
  const connection = connections.get(former.subscriber)
  if (!connection || connection.unannounced.includes(former) || former.collection !== listener.collection) return false
  const position = getPosition(connection, former)
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
  return getPosition(connection, listener)
}

function getConnection(state: FeedState, project: string, subscriber: Subscriber): FeedConnection {
  const known = state.connections.get(subscriber)
  if (known) return known
  const reader = projectReader(state, project)
  const connection: FeedConnection = { subscriber, listeners: new Map(), unannounced: [], position: 0, reader }
  state.connections.set(subscriber, connection)
  return connection
}
