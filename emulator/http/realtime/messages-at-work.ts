import { createFairSemaphore, type FairSemaphore } from '../../core/concurrency/fair-semaphore.js'

/** Each may wait for a statement. The others of the ten connections of the pool are for requests. */
const limit = 6
/** Of one key, so that another finds a place at once. */
const maxOfKey = 4

/** Places for WebSocket messages and for the openings of event streams, whose keys and connections take turns. */
export function openMessagesAtWork(): FairSemaphore {
  return createFairSemaphore({ limit, mostEach: maxOfKey })
}
