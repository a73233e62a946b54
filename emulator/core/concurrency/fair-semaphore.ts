/** A concurrency limit whose owners take turns. None gets more than its share, however much of its work waits. */
import { openFairQueue } from './fair-queue.js'
import { type Patience, waitInQueue } from './patience.js'

export interface FairSemaphore {
  /**
   * Runs the work when it is its turn. With `isFirst` it goes before everything else that waits, because it releases resources
   * of earlier work.
   *
   * @param owners from the outermost group, which has the share, to the innermost
   * @throws the error from `tooLate` if the work has not begun in time
   */
  run<Result>(
    owners: readonly [string, ...string[]],
    work: () => Promise<Result>,
    order?: { readonly isFirst: boolean },
  ): Promise<Result>
  /**
   * Takes a slot for work that ends elsewhere. If `limit` counts bytes, a slot has a weight. Slots are granted while less than
   * the limit is taken, so the last one may exceed it.
   *
   * @throws the error from `tooLate`
   */
  enter(owners: readonly [string, ...string[]], weight?: number): Promise<Slot>
  waiting(): number
  /** Whether nobody can begin. */
  isFull(): boolean
}

export interface Slot {
  /** Changes the weight from now on. */
  reweigh(weight: number): void
  /** Frees the slot. Later calls do nothing. */
  leave(): void
}

interface Options {
  readonly limit: number
  /** How much of one owner's work runs at once. Defaults to `limit`. */
  readonly maxPerOwner?: number
  /** The longest time that work waits. Defaults to no timeout. */
  readonly patience?: Patience
}

interface Waiting {
  readonly owner: string
  readonly weight: number
  /** Returns false if it has waited too long. */
  begin(): boolean
}

export function createFairSemaphore({ limit, maxPerOwner = limit, patience }: Options): FairSemaphore {
  const first = openFairQueue<Waiting>(Number.POSITIVE_INFINITY)
  const queue = openFairQueue<Waiting>(Number.POSITIVE_INFINITY)
  /** How much of each owner's work is running. */
  const shares = new Map<string, number>()
  let running = 0
  let waiting = 0

  const mayBegin = (owner: string) => running < limit && (shares.get(owner) ?? 0) < maxPerOwner

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

  function openSlot(owner: string, given: number): Slot {
    let weight = given
    const reweigh = (now: number) => {
      const isLess = now < weight
      add(owner, now - weight)
      weight = now
      if (isLess) beginWaiting()
    }
    return { reweigh, leave: () => reweigh(0) }
  }

  async function turn(owners: readonly [string, ...string[]], weight: number, isFirst: boolean): Promise<void> {
    const line = isFirst ? first : queue
    waiting++
    await waitInQueue(patience, (begin) => void line.push(owners, { owner: owners[0], weight, begin })).finally(
      () => waiting--,
    )
  }

  /** Waits for a turn only if there is none right now, so that work that can begin at once is not deferred. */
  function takeTurn(
    owners: readonly [string, ...string[]],
    weight: number,
    isFirst: boolean,
  ): Promise<void> | undefined {
    const [owner] = owners
    if (!mayBegin(owner)) return turn(owners, weight, isFirst)
    add(owner, weight)
    return undefined
  }

  return {
    async enter(owners, weight = 1) {
      const turn = takeTurn(owners, weight, false)
      if (turn) await turn
      return openSlot(owners[0], weight)
    },
    async run(owners, work, { isFirst } = { isFirst: false }) {
      const turn = takeTurn(owners, 1, isFirst)
      if (turn) await turn
      const place = openSlot(owners[0], 1)
      try {
        return await work()
      } finally {
        place.leave()
      }
    },
    waiting: () => waiting,
    isFull: () => running >= limit,
  }
}
