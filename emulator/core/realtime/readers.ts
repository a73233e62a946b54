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
  type FeedConnection,
  type FeedJob,
  type Moment,
  newReader,
  type Reader,
  skip,
} from './connections.js'
import { listenersIn, withLinks } from './linked-members.js'
import type { Subscriber } from './subscriber.js'
import type { LinkedMembers } from './watched.js'

export interface FeedState {
  readonly db: Database
  readonly report: (error: unknown) => void
  /** The shared reader of each project, for connections that keep up. */
  readonly readers: Map<string, Reader>
  readonly connections: WeakMap<Subscriber, FeedConnection>
  readonly replays: FairSemaphore
  /** Reads for connections that catch up, running or queued. */
  readonly reads: Map<string, SharedRead>
  /** Moves a connection that cannot keep up to its own reader. */
  stepAside(reader: Reader, connection: FeedConnection): void
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

export function projectReader({ readers }: FeedState, project: string): Reader {
  const reader = readers.get(project) ?? newReader(project, 0)
  readers.set(project, reader)
  return reader
}

/** Returns the current reader of a connection. A reader without connections has stopped. */
function readerFor(state: FeedState, connection: FeedConnection): Reader {
  if (!connection.reader.isReading) connection.reader = projectReader(state, connection.reader.project)
  return connection.reader
}

export function wake(state: FeedState, reader: Reader): void {
  reader.isWanted = true
  if (!reader.isReading) void read(state, reader)
}

export function queue(state: FeedState, reader: Reader, job: FeedJob): void {
  reader.jobs.push(job)
  if (!reader.isReading) void read(state, reader)
}

/** Runs a job for a connection while its reader reads nothing. */
export function between<Result>(
  state: FeedState,
  connection: FeedConnection,
  step: (moment: Moment) => Promise<Result>,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const job: FeedJob = async (moment) => {
      // The connection has moved to another reader.
      if (connection.reader !== moment.reader) return queue(state, readerFor(state, connection), job)
      await step(moment).then(resolve, reject)
    }
    queue(state, readerFor(state, connection), job)
  })
}

async function read(state: FeedState, reader: Reader): Promise<void> {
  reader.isReading = true
  while (reader.isWanted || reader.jobs.length > 0) {
    reader.isWanted = false
    try {
      await advance(state, reader)
      await runJobs(state, reader)
    } catch (error) {
      state.report(error)
      await pause(retryMilliseconds)
      reader.isWanted = reader.connections.size > 0
    }
  }
  reader.isReading = false
  if (reader.connections.size === 0) state.readers.delete(reader.project)
}

/** Runs the jobs queued now. Later ones wait until the pending changes have been sent. */
export async function runJobs({ db }: FeedState, reader: Reader): Promise<void> {
  let asked: Promise<Kept> | undefined
  const kept = () => {
    asked ??= selectKept(db, reader.project)
    return asked
  }
  for (const job of reader.jobs.splice(0)) await job({ reader, kept })
}

async function advance(state: FeedState, reader: Reader): Promise<void> {
  for (;;) {
    const collections = collectionsIn(reader)
    if (collections.size === 0) return
    const range = { project: reader.project, collections: [...collections], after: reader.cursor }
    // After a long database failure, other processes may have trimmed changes that were not read yet.
    const { changes, isAll, lastSeq, isKept } = await readKept(state.db, range)
    if (!isKept) skipAll(reader, lastSeq)
    else if (changes.length > 0)
      await withLinks(state.db, changes, listenersIn(reader.connections), (links) =>
        deliverAll(state, reader, changes, links),
      )
    measureLag(changes)
    reader.cursor = isAll || !isKept ? Math.max(reader.cursor, lastSeq) : (changes.at(-1)?.seq ?? reader.cursor)
    for (const connection of reader.connections) announce(connection, reader.cursor)
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

function skipAll({ connections }: Reader, lastSeq: number): void {
  for (const { listeners } of connections) for (const some of listeners.values()) skip(some, lastSeq)
}

/** Avoids allocating per connection, because there may be ten thousand on every read. */
function collectionsIn({ connections }: Reader): ReadonlySet<string> {
  const collections = new Set<string>()
  for (const { listeners } of connections) for (const collection of listeners.keys()) collections.add(collection)
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

/** Delivers one connection at a time, so that everything for it is sent together. */
async function deliverAll(
  state: FeedState,
  reader: Reader,
  changes: ChangePage['changes'],
  links: LinkedMembers,
): Promise<void> {
  const pauses = openPauses(maxWorkPerTurn)
  for (const connection of [...reader.connections]) {
    for (const change of changes) {
      if (!connection.listeners.has(change.collection)) continue
      if (!connection.subscriber.canWrite()) {
        state.stepAside(reader, connection)
        break
      }
      const pause = pauses.after(deliver(connection, change, links))
      if (pause) await pause
    }
  }
}
