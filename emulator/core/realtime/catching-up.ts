/** Lets connections that fell behind and resumed subscriptions catch up at their own pace. */
import { setImmediate as othersFirst, setTimeout as pause } from 'node:timers/promises'
import { type ChangePage, type Range, selectChanges } from '../../store/realtime/changes.js'
import { openPauses } from '../pauses.js'
import {
  announce,
  deliver,
  type Feed,
  type FeedConnection,
  getProgress,
  hand,
  newFeed,
  receive,
  type Subscription,
  skip,
} from './connections.js'
import {
  type FeedState,
  type KeptChanges,
  maxWorkPerTurn,
  projectFeed,
  queue,
  readKept,
  retryMilliseconds,
  runJobs,
} from './feed.js'
import { subscriptionsIn, withLinks } from './linked-members.js'

/** Sends a subscription everything it has missed so far, as fast as its connection accepts it. */
export async function replay(state: FeedState, project: string, subscription: Subscription): Promise<void> {
  const { transport } = subscription
  for (;;) {
    // Reads nothing while the connection cannot take it.
    if (!transport.canWrite()) await transport.drained()
    if (subscription.isOver()) return
    const range = { project, collections: [subscription.collection], after: subscription.position }
    const owners = [project, subscription.caller] as const
    const isWanted = () => !subscription.isOver()
    const { changes, isAll, lastSeq, isKept } = await readOnce(state, range, { owners, isWanted })
    if (!isKept) return skip([subscription], lastSeq)
    const handing = () =>
      withLinks(state.db, changes, [subscription], (links) =>
        handOver(changes, transport, (change) => hand(subscription, change, links)),
      )
    const isWhole = await state.replays.run(owners, handing, { isFirst: true })
    if (!isAll || !isWhole) continue
    subscription.position = Math.max(subscription.position, lastSeq)
    return
  }
}

/** Moves a slow connection to its own feed, so that no other waits for it. It returns once it has caught up. */
export async function stepAside(state: FeedState, feed: Feed, connection: FeedConnection): Promise<void> {
  const { project } = feed
  const own: Feed = { ...newFeed(project, getProgress(connection)), isReading: true }
  feed.connections.delete(connection)
  receive(own, connection, own.cursor)
  let isBack = false
  while (!isBack && own.connections.size > 0 && connection.transport.isOpen()) {
    try {
      await runJobs(state, own)
      isBack = (await catchUp(state, own, connection)) && (await rejoin(state, own, connection))
    } catch (error) {
      state.report(error)
      await pause(retryMilliseconds)
    }
  }
  own.isReading = false
  connection.feed = projectFeed(state, project)
  for (const job of own.jobs.splice(0)) queue(state, connection.feed, job)
}

/** Delivers as much as the connection accepts. Returns whether that was everything. */
async function catchUp(state: FeedState, own: Feed, connection: FeedConnection): Promise<boolean> {
  const { transport, subscriptions } = connection
  if (!transport.canWrite()) await transport.drained()
  if (!transport.isOpen() || subscriptions.size === 0) return false
  const range = { project: own.project, collections: [...subscriptions.keys()].sort(), after: own.cursor }
  const [[first] = []] = subscriptions.values()
  const owners = [own.project, first?.caller ?? ''] as const
  const isWanted = () => transport.isOpen()
  const { changes, isAll, lastSeq, isKept } = await readOnce(state, range, { owners, isWanted })
  if (!isKept) for (const some of subscriptions.values()) skip(some, lastSeq)
  const handing = () =>
    withLinks(state.db, changes, subscriptionsIn([connection]), (links) =>
      handOver(changes, transport, (change) => deliver(connection, change, links)),
    )
  const isWhole = await state.replays.run(owners, handing, { isFirst: true })
  own.cursor = Math.max(getProgress(connection), isAll && isWhole ? lastSeq : 0)
  announce(connection, own.cursor)
  return isAll && isWhole
}

/** Returns the connection to the shared feed of its project. Returns false if it has fallen too far behind again. */
function rejoin(state: FeedState, own: Feed, connection: FeedConnection): Promise<boolean> {
  return new Promise((resolve, reject) => {
    queue(state, projectFeed(state, own.project), ({ feed }) =>
      closeGap(state, connection, feed.cursor).then((isClosed) => {
        own.cursor = Math.max(getProgress(connection), isClosed ? feed.cursor : 0)
        if (isClosed && connection.subscriptions.size > 0) receive(feed, connection, own.cursor)
        feed.isWanted = true
        resolve(isClosed)
      }, reject),
    )
  })
}

/** Delivers the changes that the others have already received. Never waits, because they wait for it. */
async function closeGap({ db }: FeedState, connection: FeedConnection, until: number): Promise<boolean> {
  const after = getProgress(connection)
  if (after >= until) return true
  const collections = [...connection.subscriptions.keys()]
  const { changes, isAll } = await selectChanges(db, { project: connection.feed.project, collections, after })
  const missed = changes.filter(({ seq }) => seq <= until)
  const isWhole = await withLinks(db, missed, subscriptionsIn([connection]), (links) =>
    handOver(missed, connection.transport, (change) => deliver(connection, change, links)),
  )
  return isWhole && (isAll || missed.length < changes.length)
}

/** Delivers as much as the connection accepts. Returns whether that was everything. */
export async function handOver(
  changes: ChangePage['changes'],
  { canWrite }: FeedConnection['transport'],
  handOne: (change: ChangePage['changes'][number]) => number,
): Promise<boolean> {
  const pauses = openPauses(maxWorkPerTurn)
  for (const change of changes) {
    if (!canWrite()) return false
    const pause = pauses.after(handOne(change))
    if (pause) await pause
  }
  await othersFirst()
  return true
}

interface ReadOptions {
  /** Takes turns as this owner. */
  readonly owners: readonly [project: string, caller: string]
  isWanted(): boolean
}

/** Clients that reconnect together ask for the same range, so they share one read. Past changes never change. */
function readOnce(
  { db, replays, reads }: FeedState,
  range: Range,
  { owners, isWanted }: ReadOptions,
): Promise<KeptChanges> {
  const name = JSON.stringify(range)
  const known = reads.get(name)
  if (known) {
    known.isWanted.push(isWanted)
    return known.changes
  }
  const asking = [isWanted]
  const read = async () => (asking.some((isWanted) => isWanted()) ? readKept(db, range) : nothingRead(range))
  const changes = replays.run(owners, read).finally(() => reads.delete(name))
  reads.set(name, { changes, isWanted: asking })
  return changes
}

/** All clients that asked left before the read began. */
function nothingRead({ after }: Range): KeptChanges {
  return { changes: [], isAll: false, lastSeq: after, isKept: true }
}
