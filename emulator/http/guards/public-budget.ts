/**
 * Limits failed requests per minute and address on routes without a key, in one budget for all these routes. Answers that are
 * expensive to build count too, under a separate name. Contract 10.12.
 */
import { createHash } from 'node:crypto'
import { SvcError } from '../../../client/protocol/model/errors.js'
import type { Backend } from '../../core/context.js'
import { openWindowCounters } from './window-counters.js'

export interface PublicBudget {
  /**
   * Checks the budget on entry. Requests in progress don't count. Call the returned function once the request has failed.
   * Failures in this process count at once, and those of others with the next failure, so each process may let one extra
   * request in.
   *
   * @throws {SvcError} `RATE_LIMITED`
   */
  enter(address: string): () => void
}

interface Options {
  /** Failed requests per minute. Our choice: enough for all test suites of a machine, and only a few per second. */
  readonly most?: number
  /** The most addresses at once. Beyond that, the oldest start over. */
  readonly maxAddresses?: number
}

interface Failures {
  readonly address: string
  readonly window: number
  /** The count that all processes have reported. */
  known: number
  /** Failures of this process that were not reported yet. */
  unreported: number
  isReporting: boolean
}

const windowMilliseconds = 60_000

export function openPublicBudget(
  now: () => Date,
  limits: Backend['limits'],
  { most = 300, maxAddresses = 50_000 }: Options = {},
): PublicBudget {
  const failuresFor = openWindowCounters(
    maxAddresses,
    (address, window): Failures => ({ address, window, known: 0, unreported: 0, isReporting: false }),
  )
  const windowAt = (milliseconds: number) => Math.floor(milliseconds / windowMilliseconds)

  return {
    enter(address) {
      const milliseconds = now().getTime()
      const { known, unreported } = failuresFor(address, windowAt(milliseconds))
      if (known + unreported >= most) {
        const left = windowMilliseconds - (milliseconds % windowMilliseconds)
        const retryAfterSeconds = Math.max(1, Math.ceil(left / 1_000))
        const message = `Too many requests of this kind from this address. Try again in ${retryAfterSeconds} seconds.`
        throw new SvcError('RATE_LIMITED', message, [], {
          retryAfterSeconds,
          reason: { kind: 'attempts', retryAfterSeconds },
        })
      }
      return () => {
        const failures = failuresFor(address, windowAt(now().getTime()))
        failures.unreported++
        void report(limits, failures)
      }
    },
  }
}

/**
 * Reports the failures of this process and reads the total of all processes. After an error, they are reported with the next
 * failure.
 */
async function report(limits: Backend['limits'], failures: Failures): Promise<void> {
  if (failures.isReporting) return
  failures.isReporting = true
  const name = `address ${createHash('sha256').update(failures.address).digest('base64url')}`
  const { window } = failures
  try {
    while (failures.unreported > 0) {
      const requested = failures.unreported
      const { reserved } = await limits.reserve({
        ...{ name, window, requested },
        seconds: windowMilliseconds / 1_000,
        most: Number.MAX_SAFE_INTEGER,
      })
      failures.known = reserved
      failures.unreported -= requested
    }
  } catch {
    // Ignores the error: the database is down, and every request reports that.
  } finally {
    failures.isReporting = false
  }
}
