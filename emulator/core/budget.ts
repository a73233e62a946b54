/** Long work in pieces, so that requests that wait have their turn in between. */
import { setImmediate as othersFirst } from 'node:timers/promises'

export interface Budget {
  /** Something to wait for once a piece is full. */
  spend(cost: number): Promise<void> | undefined
}

/** What fits in a piece: some milliseconds of changes that are handed over, or a megabyte that is searched. */
const mostAtOnce = 1_000

export function openBudget(most = mostAtOnce): Budget {
  let spent = 0
  return {
    spend(cost) {
      spent += cost
      if (spent < most) return undefined
      spent = 0
      return othersFirst()
    },
  }
}
