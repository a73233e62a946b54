/** Runs background work in rounds, one at a time, and again if requested meanwhile. */
import { publishMeasure } from '../core/measures.js'
import type { Leader } from './leader.js'

export interface Rounds {
  /** Starts a round now, or after the one in progress. */
  soon(): void
  /** Resolves when no round is running or requested. */
  settled(): Promise<void>
  /** Starts no more rounds. Resolves when the one in progress has ended. */
  close(): Promise<void>
}

export interface Round {
  /** Whether the round should end after its current step. */
  isStopped(): boolean
}

interface RoundsOptions {
  /** Name of the rounds in metrics; undefined leaves them out. */
  readonly name?: string
  /** Its errors are reported, and retried in the next round. */
  readonly work: (round: Round) => Promise<void>
  readonly report: (error: unknown) => void
  /** Delay of the first scheduled round, unless one is requested before. */
  readonly firstMilliseconds?: number
  /** Interval of scheduled rounds. */
  readonly everyMilliseconds?: number
  /**
   * Lets only one process run scheduled rounds. Requested rounds run in the process that was asked. Without a leader,
   * each process runs its own.
   */
  readonly leader?: Leader
}

export function openRounds({
  name,
  work,
  report,
  firstMilliseconds,
  everyMilliseconds,
  leader,
}: RoundsOptions): Rounds {
  let isRequested = false
  let isDue = false
  let isStopped = false
  let running: Promise<void> | undefined
  const first = firstMilliseconds === undefined ? undefined : setTimeout(due, firstMilliseconds)
  const timer = everyMilliseconds === undefined ? undefined : setInterval(due, everyMilliseconds)
  first?.unref()
  timer?.unref()

  function soon() {
    clearTimeout(first)
    isRequested = true
    begin()
  }

  function due() {
    isDue = true
    begin()
  }

  function begin() {
    if (isStopped) return
    running ??= runAll().finally(() => {
      running = undefined
      if (isRequested || isDue) begin()
    })
  }

  async function runAll() {
    while (!isStopped && (isRequested || isDue)) {
      try {
        await runOne()
      } catch (error) {
        if (!isStopped) report(error)
      }
    }
  }

  async function runOne() {
    const wasRequested = isRequested
    isRequested = false
    isDue = false
    const isOurs = wasRequested || !leader || (await leader.leads())
    if (isOurs && !isStopped) await measured(() => work({ isStopped: () => isStopped }))
  }

  async function measured(round: () => Promise<void>) {
    const begunAt = performance.now()
    let isFailed = true
    try {
      await round()
      isFailed = false
    } finally {
      const seconds = (performance.now() - begunAt) / 1_000
      if (name !== undefined) publishMeasure('rounds', () => ({ name, seconds, isFailed }))
    }
  }

  async function settled() {
    while (running) await running
  }

  return {
    soon,
    settled,
    close() {
      isStopped = true
      clearTimeout(first)
      clearInterval(timer)
      return settled()
    },
  }
}
