import { setImmediate as othersFirst } from 'node:timers/promises'

/** Splits long work into steps, so that other work on the event loop gets its turn. Contract 10.10. */
export interface Pauses {
  /** Counts finished work in the unit of `most`. Returns a promise to await once the work fills a turn. */
  after(work: number): Promise<void> | undefined
}

/** Work per turn of the event loop, in bytes or the equivalent: some milliseconds of parsing. */
const maxWorkPerTurn = 256 * 1024

export function openPauses(most = maxWorkPerTurn): Pauses {
  let done = 0
  return {
    after(work) {
      done += work
      if (done < most) return undefined
      done = 0
      return othersFirst()
    },
  }
}
