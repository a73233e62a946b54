/**
 * The changes of each project that somebody listens to: read once for all listeners, in commit order, by number. A writer
 * says only that there is something to read.
 */

import type { Database } from '../database/database.js'
import type { Bus } from '../realtime/bus.js'
import { type Recorded, selectChanges, selectKept } from '../store/changes.js'

/** Somebody who is told of the changes of one collection, each once. */
export interface Listener {
  readonly collection: string
  /** The newest number it has been told of. */
  position: number
  /** Set once it listens no more. */
  isOver: boolean
  tell(change: Recorded): void
  /** Resolves once it can take more. */
  room(): Promise<void>
}

export interface Feeds {
  /**
   * Tells a listener everything after `since`, or after now, and from then on whatever happens. Before anything is told,
   * `begin` hears whether that is whole: changes after `since` may be no longer kept, or not there yet, and then it is
   * told of what comes from now on.
   */
  join(project: string, listener: Listener, since: number | undefined, begin: (isWhole: boolean) => void): Promise<void>
  leave(project: string, listener: Listener): void
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

/** Changes read at once. */
const most = 500

export function openFeeds(db: Database, bus: Bus, report: (error: unknown) => void): Feeds {
  const feeds = new Map<string, Feed>()
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
        await new Promise((resolve) => setTimeout(resolve, 500))
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
      const { changes, lastSeq } = await selectChanges(db, {
        project: feed.project,
        collections,
        after: feed.cursor,
        most,
      })
      for (const change of changes)
        for (const listener of feed.listeners.get(change.collection) ?? []) tell(listener, change)
      feed.cursor = changes.length < most ? Math.max(feed.cursor, lastSeq) : (changes.at(-1)?.seq ?? feed.cursor)
      if (changes.length < most) return
    }
  }

  /** Tells what one listener has missed, up to a number or to whatever is there. */
  async function replay(project: string, listener: Listener, upTo?: number): Promise<void> {
    for (;;) {
      const range = { project, collections: [listener.collection], after: listener.position, most }
      const { changes, lastSeq } = await selectChanges(db, range)
      for (const change of changes) if (change.seq <= (upTo ?? change.seq)) tell(listener, change)
      const isDone = listener.isOver || changes.length < most || listener.position >= (upTo ?? Number.POSITIVE_INFINITY)
      if (isDone) {
        listener.position = Math.max(listener.position, upTo ?? lastSeq)
        return
      }
      await listener.room()
    }
  }

  function add(feed: Feed, listener: Listener): void {
    const others = feed.listeners.get(listener.collection) ?? new Set()
    feed.listeners.set(listener.collection, others.add(listener))
  }

  return {
    async join(project, listener, since, begin) {
      const { oldest, lastSeq } = await selectKept(db, project)
      const isKept =
        since !== undefined && since <= lastSeq && (since === lastSeq || (oldest !== null && oldest <= since + 1))
      listener.position = isKept ? since : lastSeq
      begin(since === undefined || isKept)
      // Long ago first, without holding up the others.
      if (isKept && since < lastSeq) await replay(project, listener)
      const known = feeds.get(project)
      const feed: Feed = known ?? {
        project,
        listeners: new Map(),
        joining: [],
        cursor: listener.position,
        isReading: false,
        isWanted: false,
      }
      feeds.set(project, feed)
      await new Promise<void>((resolve, reject) => {
        feed.joining.push(async () => {
          try {
            if (listener.position < feed.cursor) await replay(project, listener, feed.cursor)
            if (!listener.isOver) add(feed, listener)
            // What came since the feed was read last is for this listener, too.
            feed.isWanted = true
            resolve()
          } catch (error) {
            reject(error)
          }
        })
        if (!feed.isReading) void read(feed)
      })
    },

    leave(project, listener) {
      listener.isOver = true
      const feed = feeds.get(project)
      const others = feed?.listeners.get(listener.collection)
      others?.delete(listener)
      if (feed && others?.size === 0) feed.listeners.delete(listener.collection)
      if (feed && feed.listeners.size === 0 && !feed.isReading) feeds.delete(project)
    },

    close() {
      stop()
      feeds.clear()
    },
  }
}

function tell(listener: Listener, change: Recorded): void {
  if (listener.isOver || change.seq <= listener.position) return
  listener.position = change.seq
  listener.tell(change)
}
