/**
 * The changes of each project that somebody listens to: read once for all listeners, in commit order, by number. A writer
 * says only that there is something to read.
 */
import { setImmediate as othersFirst, setTimeout as pause } from 'node:timers/promises'
import type { Database } from '../database/database.js'
import type { Bus } from '../realtime/bus.js'
import { type Changes, type Range, type Recorded, selectChanges, selectKept } from '../store/changes.js'
import { openTurns } from './turns.js'

/** Somebody who is told of the changes of one collection, each once. */
export interface Listener {
  readonly collection: string
  /** The newest number it has been told of. */
  position: number
  /** Whether it listens no more. */
  isOver(): boolean
  tell(change: Recorded): void
  /** Whether it takes what it is told about as fast as it comes. */
  hasRoom(): boolean
  /** Resolves once it can take more, or is over. */
  room(): Promise<void>
}

export interface Feeds {
  /**
   * Tells a listener everything after `since`, or after now, and from then on whatever happens. Before anything is told,
   * `begin` hears whether that is whole: changes after `since` may be no longer kept, or not there yet, and then it is
   * told of what comes from now on.
   */
  join(project: string, listener: Listener, since: number | undefined, begin: (isWhole: boolean) => void): Promise<void>
  /** Tells a listener nothing more; answers the number up to which it has been told everything. */
  leave(project: string, listener: Listener): number
  close(): void
}

interface Feed {
  readonly project: string
  readonly listeners: Map<string, Set<Listener>>
  /** Those who want to be told from here on, once nothing is being read. */
  readonly joining: (() => Promise<void>)[]
  /** Everything up to this number has been told. */
  cursor: number
  isReading: boolean
  isWanted: boolean
}

/** Listeners that catch up at once: other requests are not kept waiting behind all of them. */
const mostReplays = 2
/** Listeners told of something before requests that wait have their turn. */
const mostInOneGo = 1_000
/** After the database has failed. */
const retryMilliseconds = 500

export function openFeeds(db: Database, bus: Bus, report: (error: unknown) => void): Feeds {
  const feeds = new Map<string, Feed>()
  const replays = openTurns(mostReplays)
  /** What is being read for those who catch up. */
  const reads = new Map<string, Promise<Changes>>()
  const stop = bus.listen((project) => {
    const woken = project === undefined ? [...feeds.values()] : [feeds.get(project)]
    for (const feed of woken) if (feed) wake(feed)
  })

  function wake(feed: Feed): void {
    feed.isWanted = true
    if (!feed.isReading) void read(feed)
  }

  async function read(feed: Feed): Promise<void> {
    feed.isReading = true
    while (feed.isWanted || feed.joining.length > 0) {
      feed.isWanted = false
      try {
        await advance(feed)
        while (feed.joining.length > 0) await feed.joining.shift()?.()
      } catch (error) {
        report(error)
        await pause(retryMilliseconds)
        feed.isWanted = feed.listeners.size > 0
      }
    }
    feed.isReading = false
    if (feed.listeners.size === 0) feeds.delete(feed.project)
  }

  async function advance(feed: Feed): Promise<void> {
    for (;;) {
      const collections = [...feed.listeners.keys()]
      if (collections.length === 0) return
      const { changes, isAll, lastSeq } = await selectChanges(db, {
        project: feed.project,
        collections,
        after: feed.cursor,
      })
      if (changes.length > 0) await tellEach(feed, changes)
      feed.cursor = isAll ? Math.max(feed.cursor, lastSeq) : (changes.at(-1)?.seq ?? feed.cursor)
      if (isAll) return
    }
  }

  /** One listener after the other, so that what each is told goes out together. */
  async function tellEach(feed: Feed, changes: readonly Recorded[]): Promise<void> {
    let told = 0
    for (const listener of [...feed.listeners.values()].flatMap((some) => [...some])) {
      for (const change of changes) {
        if (change.collection !== listener.collection) continue
        tell(listener, change)
        told++
        if (listener.hasRoom()) continue
        void stepAside(feed, listener)
        break
      }
      if (told < mostInOneGo) continue
      told = 0
      await othersFirst()
    }
  }

  /** Who cannot keep up reads on at its own pace, so that nobody waits for it, and comes back once it has caught up. */
  async function stepAside(feed: Feed, listener: Listener): Promise<void> {
    remove(feed, listener)
    while (!listener.isOver()) {
      try {
        await replay(feed.project, listener)
        if (await enter(feed.project, listener)) return
      } catch (error) {
        report(error)
        await pause(retryMilliseconds)
      }
    }
  }

  /** Tells one listener what it has missed until now, as fast as it can take it. */
  async function replay(project: string, listener: Listener): Promise<void> {
    for (;;) {
      // Nothing is read for who would not take it.
      if (!listener.hasRoom()) await listener.room()
      if (listener.isOver()) return
      const range = { project, collections: [listener.collection], after: listener.position }
      const { changes, isAll, lastSeq } = await readOnce(range)
      const isTold = await replays.take(() => tellAll(listener, changes))
      if (!isAll || !isTold) continue
      listener.position = Math.max(listener.position, lastSeq)
      return
    }
  }

  /** Many who come back at once mostly ask for the same, and wait for the same answer: what has happened does not change. */
  function readOnce(range: Range): Promise<Changes> {
    const name = JSON.stringify(range)
    const reading = reads.get(name) ?? replays.take(() => selectChanges(db, range)).finally(() => reads.delete(name))
    reads.set(name, reading)
    return reading
  }

  /** Adds a listener to those of its project; not if so much has happened meanwhile that it has to catch up again. */
  function enter(project: string, listener: Listener): Promise<boolean> {
    const feed = feeds.get(project) ?? newFeed(project, listener.position)
    feeds.set(project, feed)
    return new Promise((resolve, reject) => {
      feed.joining.push(async () => {
        try {
          const isIn = await closeGap(feed, listener)
          if (isIn && !listener.isOver()) add(feed, listener)
          // What came since the feed was read last is for this listener, too.
          feed.isWanted = true
          resolve(isIn)
        } catch (error) {
          reject(error)
        }
      })
      if (!feed.isReading) void read(feed)
    })
  }

  /** Tells what the others have been told already, without waiting, since they wait for it. */
  async function closeGap({ project, cursor }: Feed, listener: Listener): Promise<boolean> {
    if (listener.position >= cursor || listener.isOver()) return true
    const range = { project, collections: [listener.collection], after: listener.position }
    const { changes, isAll } = await selectChanges(db, range)
    for (const change of changes) {
      if (change.seq > cursor) break
      if (!listener.hasRoom()) return false
      tell(listener, change)
    }
    if (!isAll && listener.position < cursor) return false
    listener.position = Math.max(listener.position, cursor)
    return true
  }

  function add(feed: Feed, listener: Listener): void {
    const others = feed.listeners.get(listener.collection) ?? new Set()
    feed.listeners.set(listener.collection, others.add(listener))
  }

  function remove(feed: Feed, listener: Listener): void {
    const others = feed.listeners.get(listener.collection)
    others?.delete(listener)
    if (others?.size === 0) feed.listeners.delete(listener.collection)
  }

  return {
    async join(project, listener, since, begin) {
      const { oldest, lastSeq } = await selectKept(db, project)
      const isKept =
        since !== undefined && since <= lastSeq && (since === lastSeq || (oldest !== null && oldest <= since + 1))
      listener.position = isKept ? since : lastSeq
      begin(since === undefined || isKept)
      // Long ago first, without holding up the others.
      let isIn = listener.position === lastSeq && (await enter(project, listener))
      while (!isIn) {
        await replay(project, listener)
        isIn = await enter(project, listener)
      }
    },

    leave(project, listener) {
      const feed = feeds.get(project)
      if (!feed?.listeners.get(listener.collection)?.has(listener)) return listener.position
      remove(feed, listener)
      if (feed.listeners.size === 0 && !feed.isReading) feeds.delete(project)
      return Math.max(listener.position, feed.cursor)
    },

    close() {
      stop()
      feeds.clear()
    },
  }
}

function newFeed(project: string, cursor: number): Feed {
  return { project, listeners: new Map(), joining: [], cursor, isReading: false, isWanted: false }
}

/** Tells as much as there is room for; whether that was all. */
async function tellAll(listener: Listener, changes: readonly Recorded[]): Promise<boolean> {
  for (const change of changes) {
    if (!listener.hasRoom()) return false
    tell(listener, change)
  }
  await othersFirst()
  return true
}

function tell(listener: Listener, change: Recorded): void {
  if (listener.isOver() || change.seq <= listener.position) return
  listener.position = change.seq
  listener.tell(change)
}
