/** Reads changes for all connections of a project, and runs jobs between two reads. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Database } from '../../database/port.js'
import { type ChangePage, type Kept, type Range, selectChanges, selectKept } from '../../store/realtime/changes.js'
import type { FairSemaphore } from '../concurrency/fair-semaphore.js'
import { publishMeasure } from '../measures.js'
import { openPauses } from '../pauses.js'
import {
  announce,
  deliver,
  type Feed,
  type FeedConnection,
  type FeedJob,
  type Moment,
  newFeed,
  skip,
} from './connections.js'
import { subscriptionsIn, withLinks } from './linked-members.js'
import type { Transport } from './transport.js'
import type { LinkedMembers } from './watched.js'

export interface FeedState {
  readonly db: Database
  readonly report: (error: unknown) => void
  /** The shared feed of each project, for connections that keep up. */
  readonly feeds: Map<string, Feed>
  readonly connections: WeakMap<Transport, FeedConnection>
  readonly replays: FairSemaphore
  /** Reads for connections that catch up, running or queued. */
  readonly reads: Map<string, SharedRead>
  /** Moves a connection that cannot keep up to its own feed. */
  stepAside(feed: Feed, connection: FeedConnection): void
}

/** The next changes. `isKept` is false if some before them may have been trimmed. */
export interface KeptChanges extends ChangePage {
  readonly isKept: boolean
}

/** A read that several clients wait for. */
export interface SharedRead {
  readonly changes: Promise<KeptChanges>
  /** Tells for each waiting client whether it still waits. */
  readonly isWanted: (() => boolean)[]
}

/** Far more changes of each project are kept than this, whatever their age. A client this close behind has missed none. */
const surelyKept = 500

/** How long to wait before a retry after the database has failed. */
export const retryMilliseconds = 500
/** The most work per turn of the event loop, in units of delivery cost: a few milliseconds. */
export const maxWorkPerTurn = 1_000

export function projectFeed({ feeds }: FeedState, project: string): Feed {
  const feed = feeds.get(project) ?? newFeed(project, 0)
  feeds.set(project, feed)
  return feed
}

/** Returns the current feed of a connection. A feed without connections has stopped. */
function feedOf(state: FeedState, connection: FeedConnection): Feed {
  if (!connection.feed.isReading) connection.feed = projectFeed(state, connection.feed.project)
  return connection.feed
}

export function wake(state: FeedState, feed: Feed): void {
  feed.isWanted = true
  if (!feed.isReading) void read(state, feed)
}

export function queue(state: FeedState, feed: Feed, job: FeedJob): void {
  feed.jobs.push(job)
  if (!feed.isReading) void read(state, feed)
}

/** Runs a job for a connection while its feed reads nothing. */
export function between<Result>(
  state: FeedState,
  connection: FeedConnection,
  step: (moment: Moment) => Promise<Result>,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const job: FeedJob = async (moment) => {
      // The connection has moved to another feed.
      if (connection.feed !== moment.feed) return queue(state, feedOf(state, connection), job)
      await step(moment).then(resolve, reject)
    }
    queue(state, feedOf(state, connection), job)
  })
}

async function read(state: FeedState, feed: Feed): Promise<void> {
  feed.isReading = true
  while (feed.isWanted || feed.jobs.length > 0) {
    feed.isWanted = false
    try {
      await advance(state, feed)
      await runJobs(state, feed)
    } catch (error) {
      state.report(error)
      await pause(retryMilliseconds)
      feed.isWanted = feed.connections.size > 0
    }
  }
  feed.isReading = false
  if (feed.connections.size === 0) state.feeds.delete(feed.project)
}

/** Runs the jobs queued now. Later ones wait until the pending changes have been sent. */
export async function runJobs({ db }: FeedState, feed: Feed): Promise<void> {
  let asked: Promise<Kept> | undefined
  const kept = () => {
    asked ??= selectKept(db, feed.project)
    return asked
  }
  for (const job of feed.jobs.splice(0)) await job({ feed, kept })
}

async function advance(state: FeedState, feed: Feed): Promise<void> {
  for (;;) {
    const collections = collectionsIn(feed)
    if (collections.size === 0) return
    const range = { project: feed.project, collections: [...collections], after: feed.cursor }
    // After a long database failure, other processes may have trimmed changes that were not read yet.
    const { changes, isAll, lastSeq, isKept } = await readKept(state.db, range)
    if (!isKept) skipAll(feed, lastSeq)
    else await deliverAll(state, feed, changes)
    measureLag(changes)
    feed.cursor = isAll || !isKept ? Math.max(feed.cursor, lastSeq) : (changes.at(-1)?.seq ?? feed.cursor)
    for (const connection of feed.connections) announce(connection, feed.cursor)
    if (isAll && isKept) return
  }
}

/** Checks for trimmed changes after the read, because trimming runs concurrently. */
export async function readKept(db: Database, range: Range): Promise<KeptChanges> {
  const changes = await selectChanges(db, range)
  if (range.after >= changes.lastSeq - surelyKept) return { ...changes, isKept: true }
  const { oldest } = await selectKept(db, range.project)
  return { ...changes, isKept: oldest !== null && oldest <= range.after + 1 }
}

function skipAll({ connections }: Feed, lastSeq: number): void {
  for (const { subscriptions } of connections) for (const some of subscriptions.values()) skip(some, lastSeq)
}

/** Avoids allocating per connection, because there may be ten thousand on every read. */
function collectionsIn({ connections }: Feed): ReadonlySet<string> {
  const collections = new Set<string>()
  for (const { subscriptions } of connections)
    for (const collection of subscriptions.keys()) collections.add(collection)
  return collections
}

/** Skips deletions, which carry the time of the last change instead of the deletion. */
function measureLag(changes: ChangePage['changes']): void {
  const first = changes.find(({ kind }) => kind === 'created' || kind === 'updated')
  if (first === undefined || !('document' in first)) return
  publishMeasure('changes', () => ({
    lagSeconds: Math.max(0, Date.now() - Date.parse(first.document.updatedAt)) / 1_000,
  }))
}

async function deliverAll(state: FeedState, feed: Feed, changes: ChangePage['changes']): Promise<void> {
  if (changes.length === 0) return
  const subscriptions = subscriptionsIn(feed.connections)
  await withLinks(state.db, changes, subscriptions, (links) => deliverEach(state, feed, changes, links))
}

/** Delivers one connection at a time, so that everything for it is sent together. */
async function deliverEach(
  state: FeedState,
  feed: Feed,
  changes: ChangePage['changes'],
  links: LinkedMembers,
): Promise<void> {
  const pauses = openPauses(maxWorkPerTurn)
  for (const connection of [...feed.connections]) {
    for (const change of changes) {
      if (!connection.subscriptions.has(change.collection)) continue
      if (!connection.transport.canWrite()) {
        state.stepAside(feed, connection)
        break
      }
      const pause = pauses.after(deliver(connection, change, links))
      if (pause) await pause
    }
  }
}
