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
  /** How much waits. */
  waiting(): number
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

  function take(owner: string): void {
    running++
    shares.set(owner, (shares.get(owner) ?? 0) + 1)
  }

  function release(owner: string): void {
    running--
    const share = (shares.get(owner) ?? 0) - 1
    if (share > 0) shares.set(owner, share)
    else shares.delete(owner)
    while (running < limit) {
      const next = first.shift() ?? queue.shift(mayBegin)
      if (!next) return
      if (next.begin()) take(next.owner)
    }
  }

  function turn(owners: readonly [string, ...string[]], isFirst: boolean): Promise<void> {
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
      line.push(owners, { owner: owners[0], begin })
    })
  }

  return {
    async run(owners, work, { isFirst } = { isFirst: false }) {
      const [owner] = owners
      if (mayBegin(owner)) take(owner)
      else await turn(owners, isFirst)
      try {
        return await work()
      } finally {
        release(owner)
      }
    },
    waiting: () => waiting,
  }
}
