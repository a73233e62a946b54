/**
 * The memory of requests at work, of a process: what they read and change, and their answers until these are sent. How much a request
 * reads is known once it is read, so each begins with the most that it may answer. Contract 10.10.
 */
import { sizes } from '../../../client/protocol/model/limits.js'
import { createFairSemaphore, type Place } from './fair-semaphore.js'
import { tooLate } from './long-read-places.js'

export interface WorkLimits {
  readonly mostBytes: number
  /** Of one address, so that nobody takes the room of all others. */
  readonly mostBytesOfAddress: number
}

/** Of one request. */
export interface WorkRoom {
  /**
   * Waits until there is room, before something large is read or changed; once for each request.
   *
   * @param bytes left out, the most that an answer takes
   * @throws {SvcError} `UNAVAILABLE`
   */
  take(bytes?: number): Promise<void>
  /** Its answer takes so much until it is sent. */
  keep(bytes: number): void
  /** The request is over. */
  leave(): void
}

export interface WorkRooms {
  open(addressOf: () => string): WorkRoom
}

const ownLimits: WorkLimits = { mostBytes: 6 * sizes.maxAnswerBytes, mostBytesOfAddress: 2 * sizes.maxAnswerBytes }
const patience = { mostMilliseconds: 30_000, tooLate }

export function openWorkRooms(limits: Partial<WorkLimits> = {}): WorkRooms {
  const { mostBytes, mostBytesOfAddress } = { ...ownLimits, ...limits }
  const bytes = createFairSemaphore({ limit: mostBytes, mostEach: mostBytesOfAddress, patience })
  return {
    open(addressOf) {
      let place: Promise<Place> | undefined
      let taken: Place | undefined
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
