/**
 * Limits how many requests and messages begin per turn of the event loop, so that a flood from one caller mostly delays that
 * caller. Contract 10.10.
 */
import { patience as defaultPatience } from '../../core/concurrency/database-slots.js'
import { openFairQueue } from '../../core/concurrency/fair-queue.js'
import { type Patience, waitInQueue } from '../../core/concurrency/patience.js'

export interface Turns {
  /**
   * Takes one of the starts of this turn. Returns a promise if they are used up.
   *
   * @param owners from the outermost group to the innermost: groups take turns, and so do the owners within a group
   * @throws the error from `tooLate` if the turn has not come in time
   */
  take(owners: readonly string[]): Promise<void> | undefined
}

interface Options {
  /** How many requests or messages begin in one turn, of all callers together. */
  readonly maxPerTurn?: number
  /** Whether nothing begins for now. Callers take turns only here, so longer queues elsewhere would be unfair. */
  readonly isBusy?: () => boolean
  /** The longest time that a request or message waits. */
  readonly patience?: Patience
}

/** How often to look again while it is busy. */
const busyMilliseconds = 1

export function openTurns({ maxPerTurn = 20, isBusy = () => false, patience = defaultPatience }: Options = {}): Turns {
  const waiting = openFairQueue<() => boolean>(Number.POSITIVE_INFINITY)
  let taken = 0
  let isScheduled = false

  function schedule(): void {
    if (isScheduled) return
    isScheduled = true
    if (isBusy()) setTimeout(nextTurn, busyMilliseconds)
    else setImmediate(nextTurn)
  }

  function nextTurn(): void {
    isScheduled = false
    taken = 0
    const most = isBusy() ? 0 : maxPerTurn
    while (taken < most && waiting.size() > 0) if (waiting.shift()?.()) taken++
    if (taken > 0 || waiting.size() > 0) schedule()
  }

  return {
    take(owners) {
      schedule()
      if (taken < maxPerTurn && waiting.size() === 0 && !isBusy()) {
        taken++
        return undefined
      }
      return waitInQueue(patience, (begin) => void waiting.push(owners, begin))
    },
  }
}
