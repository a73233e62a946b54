/**
 * What routes without a key may cost: so many failed requests a minute by address, in one place for all of them and apart
 * from everything that takes a key. What has to be made for anyone counts too, under a name of its own. Contract 10.12.
 */
import { createHash } from 'node:crypto'
import { SvcError } from '../../../client/protocol/model/errors.js'
import type { Backend } from '../../core/context.js'
import { openWindowCounters } from './window-counters.js'

export interface PublicBudget {
  /**
   * Asked on entry; requests on their way count nothing. The answer counts the request, once it has failed. What this process
   * counts is known here at once; what others count, with the next failure: each process may let one in that it should not.
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

interface Failures {
  readonly address: string
  readonly window: number
  /** As far as all processes have said. */
  known: number
  /** Of this process, which the others do not know yet. */
  unsaid: number
  isSaying: boolean
}

const windowMilliseconds = 60_000

export function openPublicBudget(
  now: () => Date,
  limits: Backend['limits'],
  { most = 300, mostAddresses = 50_000 }: Options = {},
): PublicBudget {
  const failuresOf = openWindowCounters(
    mostAddresses,
    (address, window): Failures => ({ address, window, known: 0, unsaid: 0, isSaying: false }),
  )
  const windowAt = (milliseconds: number) => Math.floor(milliseconds / windowMilliseconds)

  return {
    enter(address) {
      const milliseconds = now().getTime()
      const { known, unsaid } = failuresOf(address, windowAt(milliseconds))
      if (known + unsaid >= most) {
        const left = windowMilliseconds - (milliseconds % windowMilliseconds)
        const retryAfterSeconds = Math.max(1, Math.ceil(left / 1_000))
        const message = `Too many requests of this kind from this address. Try again in ${retryAfterSeconds} seconds.`
        throw new SvcError('RATE_LIMITED', message, [], {
          retryAfterSeconds,
          reason: { kind: 'attempts', retryAfterSeconds },
        })
      }
      return () => {
        const failures = failuresOf(address, windowAt(now().getTime()))
        failures.unsaid++
        void say(limits, failures)
      }
    },
  }
}

/** Says how many there were, and learns how many all processes have counted. What cannot be said goes with the next failure. */
async function say(limits: Backend['limits'], failures: Failures): Promise<void> {
  if (failures.isSaying) return
  failures.isSaying = true
  const name = `address ${createHash('sha256').update(failures.address).digest('base64url')}`
  const { window } = failures
  try {
    while (failures.unsaid > 0) {
      const requested = failures.unsaid
      const { reserved } = await limits.reserve({
        ...{ name, window, requested },
        seconds: windowMilliseconds / 1_000,
        most: Number.MAX_SAFE_INTEGER,
      })
      failures.known = reserved
      failures.unsaid -= requested
    }
  } catch {
    // It is the database that fails, and every request says so.
  } finally {
    failures.isSaying = false
  }
}
