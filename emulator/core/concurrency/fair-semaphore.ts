/** A concurrency limit whose owners take turns, and of which none has more than its share, however much of its work waits. */
import { openFairQueue } from './fair-queue.js'

export interface FairSemaphore {
  /**
   * With `isFirst` it runs before all else that waits, in turns as well: it releases what earlier work has brought.
   *
   * @param owners from the outermost group, which is what has a share, to the innermost
   * @throws what `tooLate` answers, where the work has not begun in time
   */
  run<Result>(
    owners: readonly [string, ...string[]],
    work: () => Promise<Result>,
    order?: { readonly isFirst: boolean },
  ): Promise<Result>
  /**
   * The same for work that ends elsewhere. Where `limit` counts bytes, a place has a weight: one is given as long as less than the
   * limit is taken, so the last one may go beyond it.
   *
   * @throws what `tooLate` answers
   */
  enter(owners: readonly [string, ...string[]], weight?: number): Promise<Place>
  /** How much waits. */
  waiting(): number
}

export interface Place {
  /** It weighs so much from now on. */
  reweigh(weight: number): void
  /** Frees it, once. */
  leave(): void
}

interface Options {
  readonly limit: number
  /** How much of one owner's runs at once. Left out, as much as of all. */
  readonly mostEach?: number
  /** How long work waits at most. Left out, as long as it takes. */
  readonly patience?: { readonly mostMilliseconds: number; tooLate(): Error }
}

interface Waiting {
  readonly owner: string
  readonly weight: number
  /** False where it has waited for too long. */
  begin(): boolean
}

export function createFairSemaphore({ limit, mostEach = limit, patience }: Options): FairSemaphore {
  const first = openFairQueue<Waiting>(Number.POSITIVE_INFINITY)
  const queue = openFairQueue<Waiting>(Number.POSITIVE_INFINITY)
  /** How much of each owner runs. */
  const shares = new Map<string, number>()
  let running = 0
  let waiting = 0

  const mayBegin = (owner: string) => running < limit && (shares.get(owner) ?? 0) < mostEach

  function add(owner: string, weight: number): void {
    running += weight
    const share = (shares.get(owner) ?? 0) + weight
    if (share > 0) shares.set(owner, share)
    else shares.delete(owner)
  }

  function beginWaiting(): void {
    while (running < limit) {
      const next = first.shift() ?? queue.shift(mayBegin)
      if (!next) return
      if (next.begin()) add(next.owner, next.weight)
    }
  }

  function placeOf(owner: string, given: number): Place {
    let weight = given
    const reweigh = (now: number) => {
      const isLess = now < weight
      add(owner, now - weight)
      weight = now
      if (isLess) beginWaiting()
    }
    return { reweigh, leave: () => reweigh(0) }
  }

  function turn(owners: readonly [string, ...string[]], weight: number, isFirst: boolean): Promise<void> {
    waiting++
    return new Promise<void>((resolve, reject) => {
      let isOver = false
      const end = (settle: () => void) => {
        isOver = true
        waiting--
        clearTimeout(late)
        settle()
      }
      const late = patience && setTimeout(() => end(() => reject(patience.tooLate())), patience.mostMilliseconds)
      const begin = () => {
        if (isOver) return false
        end(resolve)
        return true
      }
      const line = isFirst ? first : queue
      line.push(owners, { owner: owners[0], weight, begin })
    })
  }

  /** Waits for a turn only where there is none: what begins at once is not put off. */
  function turnOf(owners: readonly [string, ...string[]], weight: number, isFirst: boolean): Promise<void> | undefined {
    const [owner] = owners
    if (!mayBegin(owner)) return turn(owners, weight, isFirst)
    add(owner, weight)
    return undefined
  }

  return {
    async enter(owners, weight = 1) {
      const turn = turnOf(owners, weight, false)
      if (turn) await turn
      return placeOf(owners[0], weight)
    },
    async run(owners, work, { isFirst } = { isFirst: false }) {
      const turn = turnOf(owners, 1, isFirst)
      if (turn) await turn
      const place = placeOf(owners[0], 1)
      try {
        return await work()
      } finally {
        place.leave()
      }
    },
    waiting: () => waiting,
  }
}
