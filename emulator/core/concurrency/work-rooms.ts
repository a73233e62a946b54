/**
 * Limits the memory of requests in progress: the data they read and change, and their answers until sent. The size of a read is
 * only known afterwards, so each request first reserves the largest possible answer. Contract 10.10.
 */
import { sizes } from '../../../client/protocol/model/limits.js'
import { createFairSemaphore, type Slot } from './fair-semaphore.js'
import { tooLate } from './long-read-slots.js'

export interface WorkLimits {
  readonly maxBytes: number
  /** The limit for one address, so that no client can take all the memory. */
  readonly maxBytesPerAddress: number
}

/** The memory reserved for one request. */
export interface WorkRoom {
  /**
   * Waits for memory before the request reads or changes something large. Call it once per request.
   *
   * @param bytes defaults to the largest possible answer
   * @throws {SvcError} `UNAVAILABLE`
   */
  take(bytes?: number): Promise<void>
  /** Sets how much the answer holds until it is sent. */
  keep(bytes: number): void
  /** Releases the memory when the request is over. */
  leave(): void
}

export interface WorkRooms {
  open(addressOf: () => string): WorkRoom
}

const ownLimits: WorkLimits = { maxBytes: 6 * sizes.maxAnswerBytes, maxBytesPerAddress: 2 * sizes.maxAnswerBytes }
const patience = { maxMilliseconds: 30_000, tooLate }

export function openWorkRooms(limits: Partial<WorkLimits> = {}): WorkRooms {
  const { maxBytes, maxBytesPerAddress } = { ...ownLimits, ...limits }
  const bytes = createFairSemaphore({ limit: maxBytes, maxPerOwner: maxBytesPerAddress, patience })
  return {
    open(addressOf) {
      let place: Promise<Slot> | undefined
      let taken: Slot | undefined
      return {
        async take(wanted = sizes.maxAnswerBytes) {
          place ??= bytes.enter([addressOf()], Math.min(wanted, sizes.maxAnswerBytes))
          taken = await place
        },
        keep: (bytes) => taken?.reweigh(bytes),
        leave() {
          taken?.leave()
          taken = undefined
        },
      }
    },
  }
}
