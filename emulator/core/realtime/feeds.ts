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
  type Feed,
  type FeedConnection,
  getPosition,
  hand,
  type Moment,
  receive,
  removeFrom,
  type Subscription,
} from './connections.js'
import { between, type FeedState, projectFeed, retryMilliseconds, wake } from './feed.js'
import { withLinks } from './linked-members.js'
import type { Transport } from './transport.js'

export type { Subscription } from './connections.js'
export { retryMilliseconds } from './feed.js'

export interface Feeds {
  /**
   * Sends a subscription every change after `since`, or from now on. Resolves once the subscription is in step with the others of its
   * connection.
   */
  join(project: string, subscription: Subscription, since: number | undefined): Promise<void>
  /** Replaces a subscription of the same connection without a gap. Returns false while the former is still catching up. */
  replace(former: Subscription, subscription: Subscription): boolean
  /** Stops a subscription. Returns the number of the change up to which it has received everything. */
  leave(subscription: Subscription): number
  /** Returns the newest change that a subscription has received or did not need. */
  position(subscription: Subscription): number
  /** Counts the subscriptions and their connections. */
  open(): { readonly connections: number; readonly subscriptions: number }
  close(): void
}

/** How many connections catch up at once, so that other requests don't wait behind all of them. Projects take turns. */
const maxReplays = 2

export function openFeeds(db: Database, bus: Bus, report: (error: unknown) => void): Feeds {
  const state: FeedState = {
    db,
    report,
    feeds: new Map(),
    connections: new WeakMap(),
    replays: createFairSemaphore({ limit: maxReplays }),
    reads: new Map(),
    stepAside: (feed, connection) => void stepAside(state, feed, connection),
  }
  const unsubscribe = bus.subscribe({
    changes({ project, seq }) {
      const feeds = project === null ? [...state.feeds.values()] : [state.feeds.get(project)]
      for (const feed of feeds) if (feed && (seq === null || feed.cursor < seq)) wake(state, feed)
    },
    identity: () => undefined,
    settings: () => undefined,
  })
  const listening = new Set<Subscription>()
  return {
    join(project, subscription, since) {
      listening.add(subscription)
      return join(state, project, subscription, since)
    },
    replace(former, subscription) {
      const isReplaced = replace(state, former, subscription)
      if (isReplaced) listening.add(subscription).delete(former)
      return isReplaced
    },
    leave(subscription) {
      listening.delete(subscription)
      return leave(state, subscription)
    },
    position(subscription) {
      const connection = state.connections.get(subscription.transport)
      const isIn = connection?.subscriptions.get(subscription.collection)?.includes(subscription)
      return connection && isIn ? getPosition(connection, subscription) : subscription.position
    },
    open() {
      // A subscription that ended while joining is still listed.
      const open = [...listening].filter((subscription) => !subscription.isOver() && !subscription.isFollower)
      return { connections: new Set(open.map(({ transport }) => transport)).size, subscriptions: open.length }
    },
    close() {
      unsubscribe()
      state.feeds.clear()
    },
  }
}

async function join(
  state: FeedState,
  project: string,
  subscription: Subscription,
  since: number | undefined,
): Promise<void> {
  const connection = getConnection(state, project, subscription.transport)
  let isIn = await between(state, connection, (moment) => begin(moment, connection, subscription, since))
  while (!isIn) {
    try {
      // Replays old changes first, without holding up the others.
      await replay(state, project, subscription)
      isIn = await between(state, connection, ({ feed }) => enter(state, feed, connection, subscription))
    } catch (error) {
      // The subscription has begun, so a temporary database failure only delays it.
      state.report(error)
      await pause(retryMilliseconds)
    }
  }
}

/** Sets where a subscription begins. Returns whether it has nothing to catch up on. */
async function begin(
  { feed, kept }: Moment,
  connection: FeedConnection,
  subscription: Subscription,
  since: number | undefined,
): Promise<boolean> {
  const { oldest, lastSeq, beginning } = await kept()
  const after = since === 0 ? beginning : since
  const isKept =
    after !== undefined && after <= lastSeq && (after === lastSeq || (oldest !== null && oldest <= after + 1))
  subscription.position = isKept ? after : lastSeq
  subscription.begun({ isWhole: since === undefined || isKept, isReplayed: since !== undefined })
  if (subscription.position < lastSeq) return false
  add(feed, connection, subscription)
  return true
}

/** Adds a subscription to those of its connection. Returns false if it has fallen too far behind again. */
async function enter(
  { db }: FeedState,
  feed: Feed,
  connection: FeedConnection,
  subscription: Subscription,
): Promise<boolean> {
  const { project, cursor } = feed
  if (subscription.position < cursor && !subscription.isOver()) {
    const range = { project, collections: [subscription.collection], after: subscription.position }
    const { changes, isAll } = await selectChanges(db, range)
    const missed = changes.filter(({ seq }) => seq <= cursor)
    // Doesn't wait, because the others wait for it.
    const isWhole = await withLinks(db, missed, [subscription], (links) =>
      handOver(missed, subscription.transport, (change) => hand(subscription, change, links)),
    )
    if (!isWhole || (!isAll && missed.length === changes.length)) return false
    subscription.position = Math.max(subscription.position, cursor)
  }
  add(feed, connection, subscription)
  return true
}

function add(feed: Feed, connection: FeedConnection, subscription: Subscription): void {
  // This subscription also needs the changes since the last read.
  feed.isWanted = true
  if (subscription.isOver()) return
  receive(feed, connection, subscription.position)
  addTo(connection, subscription)
  announce(connection, feed.cursor)
}

function replace({ connections }: FeedState, former: Subscription, subscription: Subscription): boolean {
  const connection = connections.get(former.transport)
  if (!connection || connection.unannounced.includes(former) || former.collection !== subscription.collection)
    return false
  const position = getPosition(connection, former)
  if (!removeFrom(connection, former)) return false
  subscription.position = position
  addTo(connection, subscription)
  announce(connection, position)
  return true
}

function leave({ feeds, connections }: FeedState, subscription: Subscription): number {
  const connection = connections.get(subscription.transport)
  if (!connection || !removeFrom(connection, subscription)) return subscription.position
  const { feed } = connection
  if (connection.subscriptions.size === 0) feed.connections.delete(connection)
  if (feed.connections.size === 0 && !feed.isReading) feeds.delete(feed.project)
  return getPosition(connection, subscription)
}

function getConnection(state: FeedState, project: string, transport: Transport): FeedConnection {
  const known = state.connections.get(transport)
  if (known) return known
  const feed = projectFeed(state, project)
  const connection: FeedConnection = { transport, subscriptions: new Map(), unannounced: [], position: 0, feed }
  state.connections.set(transport, connection)
  return connection
}
