/** Connections with their subscriptions: each connection receives changes in commit order, however many of them it holds. Contract 9.4. */
import type { Kept, Recorded } from '../../store/realtime/changes.js'
import type { Subscriber } from './subscriber.js'

/** One subscription to the changes of a collection, each of which it receives once. */
export interface Listener {
  readonly subscriber: Subscriber
  /** The id of the caller, who takes turns with others. */
  readonly caller: string
  readonly collection: string
  /** The newest number it has received. */
  position: number
  isOver(): boolean
  /**
   * Comes first: it receives everything after its position. That may be not whole, where the changes it asked for are no longer
   * kept or have not happened yet; then it receives what comes from now on.
   */
  begun(isWhole: boolean): void
  receive(change: Recorded): void
  /** Changes that it should have received are no longer kept; it goes on after its position. */
  missed(): void
  /** What it missed is replayed. Everything up to that number has been received on this connection. */
  live(seq: number): void
  /** What receiving costs; 1 is the least. */
  costOf(change: Recorded): number
}

/** Reads changes for the connections of a project that keep up, or for one that does not. */
export interface Reader {
  readonly project: string
  readonly connections: Set<FeedConnection>
  /** What is done between two reads. */
  readonly jobs: FeedJob[]
  /** Everything up to this number has been delivered. */
  cursor: number
  isReading: boolean
  isWanted: boolean
}

/** A connection, as its reader knows it. There may be thousands with one listener each: a list of one takes a third of what a set does. */
export interface FeedConnection {
  readonly subscriber: Subscriber
  /** By collection; none of the lists is empty. */
  readonly listeners: Map<string, readonly Listener[]>
  /** Those among them whose replay has just ended. */
  unannounced: readonly Listener[]
  /** The newest change that all of them have received. */
  position: number
  reader: Reader
}

export type FeedJob = (moment: Moment) => Promise<void>

/** Nothing is being read. */
export interface Moment {
  readonly reader: Reader
  /** Which changes are kept, asked once for all jobs of this moment. */
  kept(): Promise<Kept>
}

export function newReader(project: string, cursor: number): Reader {
  return { project, connections: new Set(), jobs: [], cursor, isReading: false, isWanted: false }
}

/** Everything up to this number has been delivered to a connection. */
export function progressOf({ position, reader }: FeedConnection): number {
  return Math.max(position, reader.cursor)
}

/** What was read while there were no connections need not be read again for this one. */
export function receive(reader: Reader, connection: FeedConnection, from: number): void {
  if (reader.connections.size === 0) reader.cursor = Math.max(reader.cursor, from)
  reader.connections.add(connection)
  connection.reader = reader
}

/** The newest number that a listener has received, or that was none of its business. */
export function positionOf(connection: FeedConnection, listener: Listener): number {
  return Math.max(listener.position, progressOf(connection))
}

export function addTo(connection: FeedConnection, listener: Listener): void {
  const others = connection.listeners.get(listener.collection) ?? []
  // Not spread, for which V8 makes room for 17.
  connection.listeners.set(listener.collection, others.concat(listener))
  connection.unannounced = connection.unannounced.concat(listener)
}

/** Whether it was there. */
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

/** Hands a change to each listener it concerns; what that cost. */
export function deliver(connection: FeedConnection, change: Recorded): number {
  announce(connection, change.seq - 1)
  let cost = 0
  for (const listener of connection.listeners.get(change.collection) ?? []) cost += hand(listener, change)
  connection.position = Math.max(connection.position, change.seq)
  return cost
}

/** What a replay has handed over already is not handed over again. */
export function hand(listener: Listener, change: Recorded): number {
  if (listener.isOver() || change.seq <= listener.position) return 0
  listener.position = change.seq
  listener.receive(change)
  return listener.costOf(change)
}

/** Everything up to that number has been delivered: who received it in a replay already is on a level with the others. */
export function announce(connection: FeedConnection, seq: number): void {
  const { unannounced } = connection
  if (unannounced.length === 0) return
  connection.unannounced = unannounced.filter(({ position }) => position > seq)
  for (const listener of unannounced) {
    if (listener.position <= seq && !listener.isOver()) listener.live(seq)
  }
}

/** What is no longer kept cannot be received; what comes from now on can. */
export function skip(listeners: Iterable<Listener>, lastSeq: number): void {
  for (const listener of listeners) {
    if (listener.isOver() || listener.position >= lastSeq) continue
    listener.position = lastSeq
    listener.missed()
  }
}
