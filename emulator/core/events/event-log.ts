/** Logs the last events of all projects in memory, with limits on their number and bytes. Contract 11. */
import { randomBytes } from 'node:crypto'
import type { Happening } from '../../../client/protocol/model/events/emulator-event.js'
import { type JsonText, type WritableObject, writeJson } from '../../../client/protocol/model/json.js'

/** An event, with documents as JSON text from the database. */
export type Happened = Happening<JsonText>

/** An event as the text to send, with its position in the log. */
export interface LoggedEvent {
  readonly at: number
  readonly kind: Happened['kind']
  readonly projectId: string | null
  readonly id: string
  readonly text: string
}

/** A reader of the log, at its own speed. */
export interface EventReader {
  /** Tells the reader that there are new events. */
  wake(): void
  /** Whether the reader accepts no more events for now. */
  isBehind(): boolean
}

export interface EventLog {
  add(event: Happened): void
  /** Position of the newest event; 0 if there was none. */
  newest(): number
  /** Returns events after a position, up to a limit, and how many events in between were dropped. */
  read(after: number, most: number): { readonly events: readonly LoggedEvent[]; readonly missed: number }
  /** Registers a reader until the returned function is called. */
  enter(reader: EventReader): () => void
  readers(): ReadonlySet<EventReader>
  /** Logs successful requests too, until the returned function is called. By default there are too many of them. */
  wantAnswered(): () => void
  wantsAnswered(): boolean
  /** Empties the log. Positions continue, and the cleared events count as read. */
  clear(): void
  makeId(place: number): string
  /** Finds the position of an id; undefined for ids from an earlier start of the emulator or in the future. */
  findPosition(id: string): number | undefined
}

const most = { events: 5_000, bytes: 8 * 1024 * 1024 }

export function openEventLog(limits = most): EventLog {
  /** Distinguishes the ids of this start from those of others. */
  const start = randomBytes(4).toString('hex')
  const readers = new Set<EventReader>()
  let events: LoggedEvent[] = []
  /** Number of `events` already dropped. */
  let dropped = 0
  let bytes = 0
  let newest = 0
  /** Position of the newest event at the last clear. */
  let cleared = 0
  let wantingAnswered = 0

  const makeId = (place: number) => `${start}-${place}`

  function drop(): void {
    while (events.length - dropped > limits.events || bytes > limits.bytes) {
      bytes -= events[dropped]?.text.length ?? 0
      dropped++
    }
    // Shifts the array only when half of it is dropped, because it moves all the rest.
    if (dropped < events.length / 2) return
    events = events.slice(dropped)
    dropped = 0
  }

  return {
    makeId,
    newest: () => newest,
    wantsAnswered: () => wantingAnswered > 0,
    wantAnswered() {
      wantingAnswered++
      return () => void wantingAnswered--
    },
    add(happened) {
      const at = ++newest
      const id = makeId(at)
      const event = { id, at: new Date().toISOString(), ...happened }
      // Copies the text, because a concatenated string would keep its parts in memory.
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
    findPosition(id) {
      const [name, digits = ''] = id.split('-')
      const place = /^\d{1,15}$/.test(digits) ? Number(digits) : Number.NaN
      return name === start && place <= newest ? place : undefined
    },
  }
}
