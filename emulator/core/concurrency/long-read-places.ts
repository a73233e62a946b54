/** Places for reads that may take seconds, so that all else has a connection of the database. Decision 69. */
import { SvcError } from '../../../client/protocol/model/errors.js'
import { createFairSemaphore, type FairSemaphore } from './fair-semaphore.js'

/** Of the ten connections of the pool. What is left is for short statements: of requests, of the service itself, and of `/readyz`. */
const limit = 8
/** Of one project, so that another finds a place at once. */
const mostEach = 5
/** As long as statements wait for a connection. */
const patience = {
  mostMilliseconds: 5_000,
  tooLate: () => new SvcError('UNAVAILABLE', 'Too many long reads are at work.', [], { retryAfterSeconds: 1 }),
}

export function openLongReads(): FairSemaphore {
  return createFairSemaphore({ limit, mostEach, patience })
}

/** For a database with one connection, at which everything waits in the order it came. */
export function unlimitedReads(): FairSemaphore {
  return { run: (_, work) => work(), waiting: () => 0 }
}
