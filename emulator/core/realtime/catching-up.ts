/** Lets connections that fell behind and resumed subscriptions catch up at their own pace. */
import { setImmediate as othersFirst, setTimeout as pause } from 'node:timers/promises'
import { type ChangePage, type Range, selectChanges } from '../../store/realtime/changes.js'
import { openPauses } from '../pauses.js'
import {
  announce,
  deliver,
  type FeedConnection,
  getProgress,
  hand,
  type Listener,
  newReader,
  type Reader,
  receive,
  skip,
} from './connections.js'
import { listenersIn, withLinks } from './linked-members.js'
import {
  type FeedState,
  type KeptChanges,
  maxWorkPerTurn,
  projectReader,
  queue,
  readKept,
  retryMilliseconds,
  runJobs,
} from './readers.js'

/** Sends a listener everything it has missed so far, as fast as its connection accepts it. */
export async function replay(state: FeedState, project: string, listener: Listener): Promise<void> {
  const { subscriber } = listener
  for (;;) {
    // Reads nothing while the connection cannot take it.
    if (!subscriber.canWrite()) await subscriber.drained()
    if (listener.isOver()) return
    const range = { project, collections: [listener.collection], after: listener.position }
    const owners = [project, listener.caller] as const
    const isWanted = () => !listener.isOver()
    const { changes, isAll, lastSeq, isKept } = await readOnce(state, range, { owners, isWanted })
    if (!isKept) return skip([listener], lastSeq)
    const handing = () =>
      withLinks(state.db, changes, [listener], (links) =>
        handOver(changes, subscriber, (change) => hand(listener, change, links)),
      )
    const isWhole = await state.replays.run(owners, handing, { isFirst: true })
    if (!isAll || !isWhole) continue
    listener.position = Math.max(listener.position, lastSeq)
    return
  }
}

/** Moves a slow connection to its own reader, so that no other waits for it. It returns once it has caught up. */
export async function stepAside(state: FeedState, reader: Reader, connection: FeedConnection): Promise<void> {
  const { project } = reader
  const own: Reader = { ...newReader(project, getProgress(connection)), isReading: true }
  reader.connections.delete(connection)
  receive(own, connection, own.cursor)
  let isBack = false
  while (!isBack && own.connections.size > 0 && connection.subscriber.isOpen()) {
    try {
      await runJobs(state, own)
      isBack = (await catchUp(state, own, connection)) && (await rejoin(state, own, connection))
    } catch (error) {
      state.report(error)
      await pause(retryMilliseconds)
    }
  }
  own.isReading = false
  connection.reader = projectReader(state, project)
  for (const job of own.jobs.splice(0)) queue(state, connection.reader, job)
}

/** Delivers as much as the connection accepts. Returns whether that was everything. */
async function catchUp(state: FeedState, own: Reader, connection: FeedConnection): Promise<boolean> {
  const { subscriber, listeners } = connection
  if (!subscriber.canWrite()) await subscriber.drained()
  if (!subscriber.isOpen() || listeners.size === 0) return false
  const range = { project: own.project, collections: [...listeners.keys()].sort(), after: own.cursor }
  const [[first] = []] = listeners.values()
  const owners = [own.project, first?.caller ?? ''] as const
  const isWanted = () => subscriber.isOpen()
  const { changes, isAll, lastSeq, isKept } = await readOnce(state, range, { owners, isWanted })
  if (!isKept) for (const some of listeners.values()) skip(some, lastSeq)
  const handing = () =>
    withLinks(state.db, changes, listenersIn([connection]), (links) =>
      handOver(changes, subscriber, (change) => deliver(connection, change, links)),
    )
  const isWhole = await state.replays.run(owners, handing, { isFirst: true })
  own.cursor = Math.max(getProgress(connection), isAll && isWhole ? lastSeq : 0)
  announce(connection, own.cursor)
  return isAll && isWhole
}

/** Returns the connection to the shared reader of its project. Returns false if it has fallen too far behind again. */
function rejoin(state: FeedState, own: Reader, connection: FeedConnection): Promise<boolean> {
  return new Promise((resolve, reject) => {
    queue(state, projectReader(state, own.project), ({ reader }) =>
      closeGap(state, connection, reader.cursor).then((isClosed) => {
        own.cursor = Math.max(getProgress(connection), isClosed ? reader.cursor : 0)
        if (isClosed && connection.listeners.size > 0) receive(reader, connection, own.cursor)
        reader.isWanted = true
        resolve(isClosed)
      }, reject),
    )
  })
}

/** Delivers the changes that the others have already received. Never waits, because they wait for it. */
async function closeGap({ db }: FeedState, connection: FeedConnection, until: number): Promise<boolean> {
  const after = getProgress(connection)
  if (after >= until) return true
  const collections = [...connection.listeners.keys()]
  const { changes, isAll } = await selectChanges(db, { project: connection.reader.project, collections, after })
  const missed = changes.filter(({ seq }) => seq <= until)
  const isWhole = await withLinks(db, missed, listenersIn([connection]), (links) =>
    handOver(missed, connection.subscriber, (change) => deliver(connection, change, links)),
  )
  return isWhole && (isAll || missed.length < changes.length)
}

/** Delivers as much as the connection accepts. Returns whether that was everything. */
export async function handOver(
  changes: ChangePage['changes'],
  { canWrite }: FeedConnection['subscriber'],
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
