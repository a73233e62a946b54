import type { Job } from './protocol.js'

export interface Watchdog {
  /** The job at work has its whole time from now on. */
  arm(): void
  off(): void
}

export interface WatchdogOptions {
  /** The job that is carried out, if one is. */
  atWork(): Job | undefined
  /** What a statement may take; a `patient` one may take ten minutes. */
  readonly mostMilliseconds: number
  giveUp(): void
}

const patientMilliseconds = 600_000
/** How often it looks which job is at work, as a part of what a statement may take: no event says when the next of a message begins. */
const looksPerStatement = 20

/** Notices a statement that takes too long. Each has its own time, whatever travelled before it in the same message. */
export function openWatchdog({ atWork, mostMilliseconds, giveUp }: WatchdogOptions): Watchdog {
  let timer: NodeJS.Timeout | undefined

  function watch(job: Job | undefined, since: number) {
    clearTimeout(timer)
    if (!job) return
    const isPatient = job.statements.some(({ patient }) => patient)
    const end = since + (isPatient ? patientMilliseconds : mostMilliseconds)
    const soon = Math.max(1, Math.min(end - performance.now(), mostMilliseconds / looksPerStatement))
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
