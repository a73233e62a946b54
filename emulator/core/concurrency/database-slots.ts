/** Limits work that may occupy the database for long, so that everything else gets its turn. Decision 69. */
import { SvcError } from '../../../client/protocol/model/errors.js'
import { createFairSemaphore, type FairSemaphore } from './fair-semaphore.js'
import type { Patience } from './patience.js'

interface SlotLimits {
  readonly limit: number
  /** The limit for one project, so that others find a free slot at once. */
  readonly maxPerOwner: number
  readonly maxMilliseconds: number
}

type Engine = 'pool' | 'embedded'

/** How long a request waits for its turn, memory or a slot. */
const maxMilliseconds = 30_000

const longReads = {
  /** The pool has ten connections. Two stay free for short statements: from requests, the service and `/readyz`. */
  pool: { limit: 8, maxPerOwner: 5, maxMilliseconds: 5_000 },
  /** There is one connection. Short statements wait for the running read, but not for those queued behind it. */
  embedded: { limit: 1, maxPerOwner: 1, maxMilliseconds },
} as const satisfies Record<Engine, SlotLimits>

const transactions = {
  /** With its long reads, a project leaves one connection free. */
  pool: { limit: 6, maxPerOwner: 4, maxMilliseconds },
  /** There is one connection. The first statement of the next transaction travels with the commit of the one before it. */
  embedded: { limit: 2, maxPerOwner: 2, maxMilliseconds },
} as const satisfies Record<Engine, SlotLimits>

export function openLongReads(engine: Engine): FairSemaphore {
  return openSlots(longReads[engine])
}

/** Opens the slots of callers' transactions. The queue of the database knows no callers. */
export function openTransactionSlots(engine: Engine): FairSemaphore {
  return openSlots(transactions[engine])
}

function openSlots({ maxMilliseconds, ...others }: SlotLimits): FairSemaphore {
  return createFairSemaphore({ ...others, patience: { maxMilliseconds, tooLate } })
}

export const patience: Patience = { maxMilliseconds, tooLate }

function tooLate(): SvcError {
  return new SvcError('UNAVAILABLE', 'Too many requests are in progress. Try again later.', [], {
    retryAfterSeconds: 1,
  })
}
