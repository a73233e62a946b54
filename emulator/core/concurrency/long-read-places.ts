/** Places for reads that may take seconds, so that all else has a connection of the database. Decision 69. */
import { SvcError } from '../../../client/protocol/model/errors.js'
import { createFairSemaphore, type FairSemaphore } from './fair-semaphore.js'

/** Those at the database itself, and those at the servers that follow it. */
export interface LongReads {
  readonly primary: FairSemaphore
  readonly standbys: FairSemaphore
}

/** Of the ten connections of each pool. What is left is for short statements: of requests, of the service itself, and of `/readyz`. */
const limit = 8
/** Of one project, so that another finds a place at once. */
const mostEach = 5
/** As long as statements wait for a connection. */
const patience = {
  mostMilliseconds: 5_000,
  tooLate: () => new SvcError('UNAVAILABLE', 'Too many long reads are at work.', [], { retryAfterSeconds: 1 }),
}

/** @param standbys how many there are, each with a pool of its own */
export function openLongReads(standbys: number): LongReads {
  const open = (pools: number) => createFairSemaphore({ limit: limit * pools, mostEach: mostEach * pools, patience })
  return { primary: open(1), standbys: open(standbys) }
}

/** For a database with one connection, at which everything waits in the order it came. */
export function unlimitedReads(): LongReads {
  const unlimited: FairSemaphore = { run: (_, work) => work(), waiting: () => 0 }
  return { primary: unlimited, standbys: unlimited }
}
