/** Limits work that may occupy the database for long, so that everything else gets its turn. Decision 69. */
import { SvcError } from '../../../client/protocol/model/errors.js'
import { createFairSemaphore, type FairSemaphore } from './fair-semaphore.js'

interface SlotLimits {
  readonly limit: number
  /** The limit for one project, so that others find a free slot at once. */
  readonly maxPerOwner: number
  readonly maxMilliseconds: number
}

const limits = {
  /** The pool has ten connections. Two stay free for short statements: from requests, the service and `/readyz`. */
  pool: { limit: 8, maxPerOwner: 5, maxMilliseconds: 5_000 },
  /** There is one connection. Short statements wait for the running read, but not for those queued behind it. */
  embedded: { limit: 1, maxPerOwner: 1, maxMilliseconds: 30_000 },
} as const satisfies Record<string, SlotLimits>

export function openLongReads(database: keyof typeof limits): FairSemaphore {
  const { maxMilliseconds, ...others } = limits[database]
  return createFairSemaphore({ ...others, patience: { maxMilliseconds, tooLate } })
}

export function tooLate(): SvcError {
  return new SvcError('UNAVAILABLE', 'Too many large requests are in progress. Try again later.', [], {
    retryAfterSeconds: 1,
  })
}
