/** Places for work that may keep the database for long, so that all else has its turn. Decision 69. */
import { SvcError } from '../../../client/protocol/model/errors.js'
import { createFairSemaphore, type FairSemaphore } from './fair-semaphore.js'

interface PlaceLimits {
  readonly limit: number
  /** Of one project, so that another finds a place at once. */
  readonly mostEach: number
  readonly mostMilliseconds: number
}

const limits = {
  /** Of the ten connections of the pool. The others are for short statements: of requests, of the service, and of `/readyz`. */
  pool: { limit: 8, mostEach: 5, mostMilliseconds: 5_000 },
  /** Of the only connection. What is short waits for these, and for none behind them. */
  embedded: { limit: 1, mostEach: 1, mostMilliseconds: 30_000 },
} as const satisfies Record<string, PlaceLimits>

export function openLongReads(database: keyof typeof limits): FairSemaphore {
  const { mostMilliseconds, ...others } = limits[database]
  return createFairSemaphore({ ...others, patience: { mostMilliseconds, tooLate } })
}

export function tooLate(): SvcError {
  return new SvcError('UNAVAILABLE', 'Too many large requests are at work.', [], { retryAfterSeconds: 1 })
}
