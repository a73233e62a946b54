import type { Job } from './protocol.js'

export interface Watchdog {
  /** Restarts the timer for the running job. */
  arm(): void
  off(): void
}

export interface WatchdogOptions {
  /** The running job, if any. */
  atWork(): Job | undefined
  /** Limits a statement; a `patient` one has ten minutes. */
  readonly maxMilliseconds: number
  giveUp(): void
}

const patientMilliseconds = 600_000
/**
 * Checks the running job this many times within the limit, because no event says when the next job of a message begins.
 */
const looksPerStatement = 20

/** Detects a statement that takes too long. Each has its full time, whatever came before it in the same message. */
export function openWatchdog({ atWork, maxMilliseconds, giveUp }: WatchdogOptions): Watchdog {
  let timer: NodeJS.Timeout | undefined

  function watch(job: Job | undefined, since: number) {
    clearTimeout(timer)
    if (!job) return
    const isPatient = job.statements.some(({ patient }) => patient)
    const end = since + (isPatient ? patientMilliseconds : maxMilliseconds)
    const soon = Math.max(1, Math.min(end - performance.now(), maxMilliseconds / looksPerStatement))
    timer = setTimeout(() => {
      const current = atWork()
      if (current !== job) watch(current, performance.now())
      else if (performance.now() < end - 1) watch(job, since)
      else giveUp()
    }, soon).unref()
  }

  return {
    arm: () => watch(atWork(), performance.now()),
    off: () => clearTimeout(timer),
  }
}
