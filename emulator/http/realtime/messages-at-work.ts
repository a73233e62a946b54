import { createFairSemaphore, type FairSemaphore } from '../../core/concurrency/fair-semaphore.js'

/** Each may wait for a statement. The rest of the ten pool connections serve requests. */
const limit = 6
/** The limit for one key, so that others find a free slot at once. */
const maxOfKey = 4

/** Limits WebSocket messages and stream openings in progress. Keys and connections take turns. */
export function openMessagesAtWork(): FairSemaphore {
  return createFairSemaphore({ limit, maxPerOwner: maxOfKey })
}
