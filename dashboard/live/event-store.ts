/** Reads the emulator's events in one stream per page. Keeps the newest for lists, and hands batches to subscribers. */

import { SvcError } from '../../client/index.js'
import type { EmulatorEvent } from '../../client/protocol/model/events/emulator-event.js'
import { pause } from '../../client/send.js'
import type { Session } from '../session/session.js'
import { watchHidden } from './hidden.js'

export type Connection = 'connecting' | 'open' | 'lost'

export interface EventStore {
  subscribe(listener: () => void): () => void
  /** Newest first. Returns the same array until an event arrives. */
  events(): readonly EmulatorEvent[]
  connection(): Connection
  /** Time of the first `stream.opened` event. Earlier events are history. */
  openedAt(): string
  /** Calls back with batches, a few times a second at most. `isGap` is true if events may be missing. */
  onBatch(listener: (events: readonly EmulatorEvent[], isGap: boolean) => void): () => void
  close(): void
}

/**
 * Closes the stream of a hidden tab, because browsers allow six connections per server over all tabs. The tab catches up
 * once it is visible.
 */
function openPauses() {
  let stream = new AbortController()
  let isPaused = false
  let resume = () => {}
  const leave = watchHidden((isHidden) => {
    isPaused = isHidden
    if (isHidden) stream.abort()
    else resume()
  })
  return {
    /** Waits until the page is visible. @returns whether it had to wait */
    async untilSeen(): Promise<boolean> {
      if (!isPaused) return false
      await new Promise<void>((resolve) => {
        resume = resolve
      })
      return true
    },
    /** Returns the signal for the next stream. The next pause aborts it. */
    begin(): AbortSignal {
      stream = new AbortController()
      return stream.signal
    },
    isPausing: () => stream.signal.aborted,
    close() {
      leave()
      resume()
    },
  }
}

/** Aborts a stream that does not send its opening event in time. */
function openDeadline() {
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(), maxOpeningMilliseconds)
  return { signal: late.signal, end: () => clearTimeout(timer) }
}

/** Bounds what the page stores and draws. */
const maxEvents = 300
const flushMilliseconds = 60
/** Maximum delay between retries. Retries are cheap, because a stopped local emulator refuses connections immediately. */
const maxPauseMilliseconds = 1_000
const maxOpeningMilliseconds = 10_000

export function openEvents({ control, guard, project }: Session): EventStore {
  const stop = new AbortController()
  const pauses = openPauses()
  const listeners = new Set<() => void>()
  const readers = new Set<(events: readonly EmulatorEvent[], isGap: boolean) => void>()
  let kept: readonly EmulatorEvent[] = []
  let connection: Connection = 'connecting'
  let openedAt = ''
  let waiting: EmulatorEvent[] = []
  let isGap = false
  let timer: ReturnType<typeof setTimeout> | undefined
  /** Id of the last event. */
  let since: string | undefined
  let failures = 0

  function notify() {
    for (const listener of listeners) listener()
  }

  function become(next: Connection) {
    if (connection === next) return
    connection = next
    notify()
  }

  function flush() {
    timer = undefined
    const [batch, gap] = [waiting, isGap]
    waiting = []
    isGap = false
    kept = [...batch.toReversed(), ...kept].slice(0, maxEvents)
    notify()
    for (const reader of readers) reader(batch, gap)
  }

  /** Adds one gap entry between two events. Its id derives from the event before. */
  function takeGap(gap: EmulatorEvent) {
    isGap = true
    if ((waiting.at(-1) ?? kept[0])?.kind !== gap.kind) waiting.push({ ...gap, id: `${gap.id} missed` })
  }

  function take(event: EmulatorEvent) {
    if (event.kind === 'stream.missed') takeGap(event)
    else if (event.kind === 'stream.opened') openedAt ||= event.at
    else waiting.push(event)
    timer ??= setTimeout(flush, flushMilliseconds)
  }

  /** Reads events until the stream ends. Returns false if the token is no longer valid. Retries may mend other failures. */
  async function readStream(): Promise<boolean> {
    const opening = openDeadline()
    try {
      const from = since === undefined ? { last: 100 } : { since }
      const signal = AbortSignal.any([stop.signal, pauses.begin(), opening.signal])
      for await (const event of control.events.stream({ ...from, project: project.id, signal })) {
        opening.end()
        failures = 0
        if (connection === 'lost') isGap = true
        become('open')
        since = event.id
        take(event)
      }
    } catch (error) {
      return !(error instanceof SvcError && error.status === 401)
    } finally {
      opening.end()
    }
    return true
  }

  async function follow() {
    for (; !stop.signal.aborted; failures++) {
      // Another emulator may have taken the port since.
      if (await pauses.untilSeen()) guard.doubt()
      if (stop.signal.aborted) return
      if (!(await readStream())) return location.reload()
      if (stop.signal.aborted || pauses.isPausing()) continue
      guard.doubt()
      become('lost')
      await pause(Math.min(maxPauseMilliseconds, 250 * 2 ** failures)).catch(() => undefined)
    }
  }

  void follow()
  return {
    subscribe(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    events: () => kept,
    connection: () => connection,
    openedAt: () => openedAt,
    onBatch(listener) {
      readers.add(listener)
      return () => void readers.delete(listener)
    },
    close() {
      stop.abort()
      pauses.close()
      clearTimeout(timer)
    },
  }
}
