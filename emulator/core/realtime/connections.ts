/**
 * Connections and their subscriptions. Each connection receives changes in commit order, across all its subscriptions. Contract
 * 9.4.
 */
import type { Kept, Recorded } from '../../store/realtime/changes.js'
import type { Transport } from './transport.js'
import type { LinkedMembers, Watched } from './watched.js'

/** One subscription to the changes of a collection. It receives each change once. */
export interface Subscription {
  readonly transport: Transport
  /** The id of the caller, for taking turns. */
  readonly caller: string
  readonly collection: string
  /** The newest change it has received. */
  position: number
  isOver(): boolean
  /**
   * Called first. From then on the subscription receives every change after its position. `isWhole` is false if the changes it
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
export interface Feed {
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
 * A connection as its feed sees it. Uses lists, because a list of one takes a third of the memory of a set, and thousands of
 * connections have one subscription.
 */
export interface FeedConnection {
  readonly transport: Transport
  /** By collection. Never holds an empty list. */
  readonly subscriptions: Map<string, readonly Subscription[]>
  /** The subscriptions whose replay has just ended. */
  unannounced: readonly Subscription[]
  /** The newest change that all its subscriptions have received. */
  position: number
  feed: Feed
}

export type FeedJob = (moment: Moment) => Promise<void>

/** A moment during which the feed reads nothing. */
export interface Moment {
  readonly feed: Feed
  /** Which changes are kept, queried once for all jobs of this moment. */
  kept(): Promise<Kept>
}

export function newFeed(project: string, cursor: number): Feed {
  return { project, connections: new Set(), jobs: [], cursor, isReading: false, isWanted: false }
}

/** Returns the newest change up to which everything was delivered to a connection. */
export function getProgress({ position, feed }: FeedConnection): number {
  return Math.max(position, feed.cursor)
}

/** Skips changes that were read while the feed had no connections. */
export function receive(feed: Feed, connection: FeedConnection, from: number): void {
  if (feed.connections.size === 0) feed.cursor = Math.max(feed.cursor, from)
  feed.connections.add(connection)
  connection.feed = feed
}

/** Returns the newest change that a subscription has received or did not need. */
export function getPosition(connection: FeedConnection, subscription: Subscription): number {
  return Math.max(subscription.position, getProgress(connection))
}

export function addTo(connection: FeedConnection, subscription: Subscription): void {
  const others = connection.subscriptions.get(subscription.collection) ?? []
  // `concat` instead of a spread, for which V8 allocates room for 17 items.
  connection.subscriptions.set(subscription.collection, others.concat(subscription))
  connection.unannounced = connection.unannounced.concat(subscription)
}

/** Returns whether it was there. */
export function removeFrom(connection: FeedConnection, subscription: Subscription): boolean {
  const { collection } = subscription
  const all = connection.subscriptions.get(collection)
  if (!all?.includes(subscription)) return false
  const others = all.filter((other) => other !== subscription)
  if (others.length === 0) connection.subscriptions.delete(collection)
  else connection.subscriptions.set(collection, others)
  connection.unannounced = connection.unannounced.filter((other) => other !== subscription)
  return true
}

/** Hands a change to each subscription it concerns. Returns the total cost. */
export function deliver(connection: FeedConnection, change: Recorded, links: LinkedMembers): number {
  announce(connection, change.seq - 1)
  let cost = 0
  for (const subscription of connection.subscriptions.get(change.collection) ?? [])
    cost += hand(subscription, change, links)
  connection.position = Math.max(connection.position, change.seq)
  return cost
}

/** Skips changes that a replay has already delivered. */
export function hand(subscription: Subscription, change: Recorded, links: LinkedMembers): number {
  if (subscription.isOver() || change.seq <= subscription.position) return 0
  subscription.position = change.seq
  subscription.receive(change, links)
  return subscription.measureCost(change)
}

/** Marks everything up to `seq` as delivered, and tells the subscriptions whose replay has ended that they are live. */
export function announce(connection: FeedConnection, seq: number): void {
  const { unannounced } = connection
  if (unannounced.length === 0) return
  connection.unannounced = unannounced.filter(({ position }) => position > seq)
  for (const subscription of unannounced) {
    if (subscription.position <= seq && !subscription.isOver()) subscription.live(seq)
  }
}

/** Tells subscriptions that trimmed changes are lost, and continues with new ones. */
export function skip(subscriptions: Iterable<Subscription>, lastSeq: number): void {
  for (const subscription of subscriptions) {
    if (subscription.isOver() || subscription.position >= lastSeq) continue
    subscription.position = lastSeq
    subscription.missed()
  }
}
