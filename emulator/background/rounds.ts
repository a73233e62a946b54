/** Work that is done between requests: a round at a time, and another one if it was asked for meanwhile. */
import { publishMeasure } from '../core/measures.js'
import type { Leader } from './leader.js'

export interface Rounds {
  /** Begins a round now, or after the one that is running. */
  soon(): void
  /** Resolves once no round is running and none is asked for. */
  settled(): Promise<void>
  /** Begins no other round; resolves once the running one has ended. */
  close(): Promise<void>
}

export interface Round {
  /** Whether the round should end after the step that it is at. */
  isStopped(): boolean
}

interface RoundsOptions {
  /** What the rounds are called where they are measured; left out, they are not. */
  readonly name?: string
  /** What it throws is reported, and left to the next round. */
  readonly work: (round: Round) => Promise<void>
  readonly report: (error: unknown) => void
  /** How long after the opening the first round begins unasked, if none was asked for before. */
  readonly firstMilliseconds?: number
  /** How often a round begins unasked. */
  readonly everyMilliseconds?: number
  /**
   * Lets only one process begin rounds unasked. A round that was asked for runs in the process that was asked, since that is there.
   * Left out, each process begins its own.
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
  let isAsked = false
  let isDue = false
  let isStopped = false
  let running: Promise<void> | undefined
  const first = firstMilliseconds === undefined ? undefined : setTimeout(due, firstMilliseconds)
  const timer = everyMilliseconds === undefined ? undefined : setInterval(due, everyMilliseconds)
  first?.unref()
  timer?.unref()

  function soon() {
    clearTimeout(first)
    isAsked = true
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
      if (isAsked || isDue) begin()
    })
  }

  async function runAll() {
    while (!isStopped && (isAsked || isDue)) {
      try {
        await runOne()
      } catch (error) {
        if (!isStopped) report(error)
      }
    }
  }

  async function runOne() {
    const wasAsked = isAsked
    isAsked = false
    isDue = false
    const isOurs = wasAsked || !leader || (await leader.leads())
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
