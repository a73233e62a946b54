/**
 * Connections and their subscriptions. Each connection receives changes in commit order, across all its subscriptions. Contract
 * 9.4.
 */
import type { Kept, Recorded } from '../../store/realtime/changes.js'
import type { Subscriber } from './subscriber.js'
import type { LinkedMembers, Watched } from './watched.js'

/** One subscription to the changes of a collection. It receives each change once. */
export interface Listener {
  readonly subscriber: Subscriber
  /** The id of the caller, for taking turns. */
  readonly caller: string
  readonly collection: string
  /** The newest change it has received. */
  position: number
  isOver(): boolean
  /**
   * Called first. From then on the listener receives every change after its position. `isWhole` is false if the changes it
   * asked for were trimmed or have not happened yet; then it receives only new ones. `isReplayed` is true if it asked for any.
   */
  begun(how: { readonly isWhole: boolean; readonly isReplayed: boolean }): void
  receive(change: Recorded, links: LinkedMembers): void
  /** The linked documents that decide which changes it receives. Undefined if there are none. */
  watched?(): Watched | undefined
  /** Whether it only follows another subscription's linked documents, and does not count as a subscription. */
  readonly isFollower?: boolean
  /** Called if changes were trimmed before it received them. It continues after its position. */
  missed(): void
  /** Called when its replay ends. The connection has received everything up to `seq`. */
  live(seq: number): void
  /** The cost of receiving a change, at least 1. */
  measureCost(change: Recorded): number
}

/** Reads changes for all connections of a project that keep up, or for one that doesn't. */
export interface Reader {
  readonly project: string
  readonly connections: Set<FeedConnection>
  /** Jobs to run between two reads. */
  readonly jobs: FeedJob[]
  /** Everything up to this change has been delivered. */
  cursor: number
  isReading: boolean
  isWanted: boolean
}

/**
 * A connection as its reader sees it. Uses lists, because a list of one takes a third of the memory of a set, and thousands of
 * connections have one listener.
 */
export interface FeedConnection {
  readonly subscriber: Subscriber
  /** By collection. Never holds an empty list. */
  readonly listeners: Map<string, readonly Listener[]>
  /** The listeners whose replay has just ended. */
  unannounced: readonly Listener[]
  /** The newest change that all its listeners have received. */
  position: number
  reader: Reader
}

export type FeedJob = (moment: Moment) => Promise<void>

/** A moment during which the reader reads nothing. */
export interface Moment {
  readonly reader: Reader
  /** Which changes are kept, queried once for all jobs of this moment. */
  kept(): Promise<Kept>
}

export function newReader(project: string, cursor: number): Reader {
  return { project, connections: new Set(), jobs: [], cursor, isReading: false, isWanted: false }
}

/** Returns the newest change up to which everything was delivered to a connection. */
export function getProgress({ position, reader }: FeedConnection): number {
  return Math.max(position, reader.cursor)
}

/** Skips changes that were read while the reader had no connections. */
export function receive(reader: Reader, connection: FeedConnection, from: number): void {
  if (reader.connections.size === 0) reader.cursor = Math.max(reader.cursor, from)
  reader.connections.add(connection)
  connection.reader = reader
}

/** Returns the newest change that a listener has received or did not need. */
export function getPosition(connection: FeedConnection, listener: Listener): number {
  return Math.max(listener.position, getProgress(connection))
}

export function addTo(connection: FeedConnection, listener: Listener): void {
  const others = connection.listeners.get(listener.collection) ?? []
  // `concat` instead of a spread, for which V8 allocates room for 17 items.
  connection.listeners.set(listener.collection, others.concat(listener))
  connection.unannounced = connection.unannounced.concat(listener)
}

/** Returns whether it was there. */
export function removeFrom(connection: FeedConnection, listener: Listener): boolean {
  const { collection } = listener
  const all = connection.listeners.get(collection)
  if (!all?.includes(listener)) return false
  const others = all.filter((other) => other !== listener)
  if (others.length === 0) connection.listeners.delete(collection)
  else connection.listeners.set(collection, others)
  connection.unannounced = connection.unannounced.filter((other) => other !== listener)
  return true
}

/** Hands a change to each listener it concerns. Returns the total cost. */
export function deliver(connection: FeedConnection, change: Recorded, links: LinkedMembers): number {
  announce(connection, change.seq - 1)
  let cost = 0
  for (const listener of connection.listeners.get(change.collection) ?? []) cost += hand(listener, change, links)
  connection.position = Math.max(connection.position, change.seq)
  return cost
}

/** Skips changes that a replay has already delivered. */
export function hand(listener: Listener, change: Recorded, links: LinkedMembers): number {
  if (listener.isOver() || change.seq <= listener.position) return 0
  listener.position = change.seq
  listener.receive(change, links)
  return listener.measureCost(change)
}

/** Marks everything up to `seq` as delivered, and tells the listeners whose replay has ended that they are live. */
export function announce(connection: FeedConnection, seq: number): void {
  const { unannounced } = connection
  if (unannounced.length === 0) return
  connection.unannounced = unannounced.filter(({ position }) => position > seq)
  for (const listener of unannounced) {
    if (listener.position <= seq && !listener.isOver()) listener.live(seq)
  }
}

/** Tells listeners that trimmed changes are lost, and continues with new ones. */
export function skip(listeners: Iterable<Listener>, lastSeq: number): void {
  for (const listener of listeners) {
    if (listener.isOver() || listener.position >= lastSeq) continue
    listener.position = lastSeq
    listener.missed()
  }
}
