/**
 * What routes without a key may cost: so many failed requests a minute by address, in one place for all of them and apart
 * from everything that takes a key. Contract 10.12.
 */
import { SvcError } from '../../../client/protocol/model/errors.js'
import { openWindowCounters } from './window-counters.js'

export interface PublicBudget {
  /**
   * Asked on entry; requests on their way count nothing. The answer counts the request, once it has failed.
   *
   * @throws {SvcError} `RATE_LIMITED`
   */
  enter(address: string): () => void
}

interface Options {
  /** Failed requests in a minute. Our choice: enough for all test suites of a machine, and a few for each second. */
  readonly most?: number
  /** More addresses than that at once, and the oldest start again. */
  readonly mostAddresses?: number
}

const windowMilliseconds = 60_000

export function openPublicBudget(now: () => Date, { most = 300, mostAddresses = 50_000 }: Options = {}): PublicBudget {
  const countOf = openWindowCounters(mostAddresses)
  const windowAt = (milliseconds: number) => Math.floor(milliseconds / windowMilliseconds)

  return {
    enter(address) {
      const milliseconds = now().getTime()
      if (countOf(address, windowAt(milliseconds)).requests >= most) {
        const left = windowMilliseconds - (milliseconds % windowMilliseconds)
        const retryAfterSeconds = Math.max(1, Math.ceil(left / 1_000))
        const message = `Too many failed requests from this address. Try again in ${retryAfterSeconds} seconds.`
        throw new SvcError('RATE_LIMITED', message, [], {
          retryAfterSeconds,
          reason: { kind: 'attempts', retryAfterSeconds },
        })
      }
      return () => void countOf(address, windowAt(now().getTime())).requests++
    },
  }
}
