import { setImmediate as othersFirst } from 'node:timers/promises'

/** Long work in steps: whatever else waits for the event loop has its turn in between. Contract 10.10. */
export interface Pauses {
  /** Counts work that is done, in the unit of `most`; a promise once it fills a turn, to be waited for. */
  after(work: number): Promise<void> | undefined
}

/** What one turn of the event loop may do, in bytes or what takes as long: some milliseconds of parsing. */
const mostWorkOfATurn = 256 * 1024

export function openPauses(most = mostWorkOfATurn): Pauses {
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
