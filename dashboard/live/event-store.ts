/** The events of the emulator, as one stream for the whole page: the newest are kept for lists, and batches go to subscribers. */

import { SvcError } from '../../client/index.js'
import type { EmulatorEvent } from '../../client/protocol/model/events/emulator-event.js'
import { pause } from '../../client/send.js'
import type { Session } from '../session/session.js'
import { watchHidden } from './hidden.js'

export type Connection = 'connecting' | 'open' | 'lost'

export interface EventStore {
  subscribe(listener: () => void): () => void
  /** The newest first. The same array until something happens. */
  events(): readonly EmulatorEvent[]
  connection(): Connection
  /** Since when it listens, as events say it: those up to then are from before. */
  openedAt(): string
  /** Called with batches of events, a few times a second at most; `isGap` where events may have been missed. */
  onBatch(listener: (events: readonly EmulatorEvent[], isGap: boolean) => void): () => void
  close(): void
}

/**
 * A browser allows six connections to a server over all of its tabs, and a stream takes one for as long as it is open: a tab
 * that is hidden closes its own, and reads what it missed once it is visible.
 */
function openPauses() {
  let stream = new AbortController()
  let isPaused = false
  let goOn = () => {}
  const leave = watchHidden((isHidden) => {
    isPaused = isHidden
    if (isHidden) stream.abort()
    else goOn()
  })
  return {
    /** Waits until the page is seen. @returns whether it has waited */
    async untilSeen(): Promise<boolean> {
      if (!isPaused) return false
      await new Promise<void>((resolve) => {
        goOn = resolve
      })
      return true
    },
    /** Of the next stream: aborted by the next pause. */
    begin(): AbortSignal {
      stream = new AbortController()
      return stream.signal
    },
    isPausing: () => stream.signal.aborted,
    close() {
      leave()
      goOn()
    },
  }
}

/** A stream begins with an event that says so; one that does not begin in time is opened anew. */
function openDeadline() {
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(), mostOpeningMilliseconds)
  return { signal: late.signal, end: () => clearTimeout(timer) }
}

/** However much happens, the page holds and draws so much of it. */
const mostEvents = 300
const flushMilliseconds = 60
/** Between two tries to connect: an emulator on this machine refuses at once while it is away, so that a try costs little. */
const mostPauseMilliseconds = 1_000
const mostOpeningMilliseconds = 10_000

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
    kept = [...batch.toReversed(), ...kept].slice(0, mostEvents)
    notify()
    for (const reader of readers) reader(batch, gap)
  }

  /** It stands in the list, once between two events. The id is that of the event before. */
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

  async function follow() {
    let since: string | undefined
    for (let failures = 0; !stop.signal.aborted; failures++) {
      // Another emulator may have taken the port meanwhile.
      if (await pauses.untilSeen()) guard.doubt()
      if (stop.signal.aborted) return
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
        // A token that is none any more; all else may pass.
        if (error instanceof SvcError && error.status === 401) return location.reload()
      } finally {
        opening.end()
      }
      if (stop.signal.aborted) return
      if (pauses.isPausing()) continue
      guard.doubt()
      become('lost')
      await pause(Math.min(mostPauseMilliseconds, 250 * 2 ** failures)).catch(() => undefined)
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
