import type { SvcError } from '../../../client/protocol/model/errors.js'
import { type Held, type MemoryBudget, tooManyBytes } from '../../core/concurrency/memory-budget.js'

/** The memory that the body of one request holds until it is answered. */
export interface HeldBody {
  /**
   * Counts the body from the first call on. Small bodies don't need it.
   *
   * @param refuse called if it has to make room for others
   */
  begin(refuse: (error: SvcError) => void): Held
  /** As `Held`, if it is counted. */
  settle(): void
  end(): void
}

export function openHeldBody(memory: MemoryBudget, address: string): HeldBody {
  let held: Held | undefined
  return {
    begin(refuse) {
      held ??= memory.receive(address, () => refuse(tooManyBytes()))
      return held
    },
    settle: () => held?.settle(),
    end: () => held?.end(),
  }
}
