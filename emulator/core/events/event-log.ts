/** The last events of all projects, in memory only, bounded in number and in bytes. Contract 11. */
import { randomBytes } from 'node:crypto'
import type { Happening } from '../../../client/protocol/model/events/emulator-event.js'
import { type JsonText, type WritableObject, writeJson } from '../../../client/protocol/model/json.js'

/** What happened, with documents as the database hands them out. */
export type Happened = Happening<JsonText>

/** An event with its place in the log, as the text that goes out. */
export interface LoggedEvent {
  readonly at: number
  readonly kind: Happened['kind']
  readonly projectId: string | null
  readonly id: string
  readonly text: string
}

/** A reader of the log, at its own pace. */
export interface EventReader {
  /** There is something to read. */
  wake(): void
  /** Whether it takes no more for now. */
  isBehind(): boolean
}

export interface EventLog {
  add(event: Happened): void
  /** The place of the newest event; 0 where there was none. */
  newest(): number
  /** Events after a place, at most so many, and how many between are kept no longer. */
  read(after: number, most: number): { readonly events: readonly LoggedEvent[]; readonly missed: number }
  /** Until the returned function is called. */
  enter(reader: EventReader): () => void
  readers(): ReadonlySet<EventReader>
  /** Requests that went well are events too, until the returned function is called: there are too many to keep unasked. */
  wantAnswered(): () => void
  wantsAnswered(): boolean
  /** Empties the log. Places go on from where they were, and what is gone counts as read. */
  clear(): void
  idOf(place: number): string
  /** The place that an id names; nothing for one of another start of the emulator, or that is not there yet. */
  placeOf(id: string): number | undefined
}

const most = { events: 5_000, bytes: 8 * 1024 * 1024 }

export function openEventLog(limits = most): EventLog {
  /** What tells the ids of this start from those of others. */
  const start = randomBytes(4).toString('hex')
  const readers = new Set<EventReader>()
  let events: LoggedEvent[] = []
  /** How many of `events` are dropped already. */
  let dropped = 0
  let bytes = 0
  let newest = 0
  /** The newest when the log was emptied last. */
  let cleared = 0
  let wantingAnswered = 0

  const idOf = (place: number) => `${start}-${place}`

  function drop(): void {
    while (events.length - dropped > limits.events || bytes > limits.bytes) {
      bytes -= events[dropped]?.text.length ?? 0
      dropped++
    }
    // Not each time, which would move all that are kept.
    if (dropped < events.length / 2) return
    events = events.slice(dropped)
    dropped = 0
  }

  return {
    idOf,
    newest: () => newest,
    wantsAnswered: () => wantingAnswered > 0,
    wantAnswered() {
      wantingAnswered++
      return () => void wantingAnswered--
    },
    add(happened) {
      const at = ++newest
      const id = idOf(at)
      const event = { id, at: new Date().toISOString(), ...happened }
      // A copy: what was put together of parts would keep each of them in memory.
      const text = Buffer.from(writeJson(event as WritableObject)).toString()
      events.push({ at, kind: event.kind, projectId: event.projectId, id, text })
      bytes += text.length
      drop()
      for (const reader of readers) reader.wake()
    },
    read(after, most) {
      const oldest = newest - (events.length - dropped) + 1
      const read = Math.max(after, cleared)
      const from = dropped + Math.max(0, read + 1 - oldest)
      return { events: events.slice(from, from + most), missed: Math.max(0, oldest - read - 1) }
    },
    enter(reader) {
      readers.add(reader)
      return () => void readers.delete(reader)
    },
    readers: () => readers,
    clear() {
      events = []
      dropped = 0
      bytes = 0
      cleared = newest
    },
    placeOf(id) {
      const [name, digits = ''] = id.split('-')
      const place = /^\d{1,15}$/.test(digits) ? Number(digits) : Number.NaN
      return name === start && place <= newest ? place : undefined
    },
  }
}
