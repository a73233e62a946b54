/** Keeps a run within its budget: calls in all, calls per second, failures in a row. */
import { setTimeout as wait } from 'node:timers/promises'
import { CliFailure, exits } from '../base/failure.js'

const maxFailuresInARow = 5
/** Outlasts a limit per minute, but not one per hour. */
const maxWaitSeconds = 90

/** Thrown when the budget is spent. What is left is "not tried". */
export class BudgetSpent extends Error {
  override readonly name = 'BudgetSpent'
}

export interface Pace {
  readonly calls: number
  /** Waits for the next call. @throws {BudgetSpent} */
  next(): Promise<void>
  /** Waits as long as a refused request was told. @throws {CliFailure} without `retry-after` */
  refused(retryAfter: string | null): Promise<void>
  /** @throws {CliFailure} after five failures in a row */
  failed(cause: unknown): void
  worked(): void
}

interface Budget {
  readonly maxCalls: number
  readonly perSecond: number
  readonly signal: AbortSignal
  /** Calls that the clean-up needs. */
  readonly reserved: () => number
  readonly onWait: (seconds: number) => void
}

export function openPace({ maxCalls, perSecond, signal, reserved, onWait }: Budget): Pace {
  let calls = 0
  let failures = 0
  let due = 0
  return {
    get calls() {
      return calls
    },
    async next() {
      signal.throwIfAborted()
      if (calls + reserved() >= maxCalls) throw new BudgetSpent()
      calls++
      const now = performance.now()
      const at = Math.max(now, due)
      due = at + 1_000 / perSecond
      if (at > now) await wait(at - now, undefined, { signal })
    },
    async refused(retryAfter) {
      const seconds = Number(retryAfter ?? Number.NaN)
      if (!Number.isFinite(seconds) || seconds > maxWaitSeconds) throw tooMany(retryAfter)
      onWait(seconds)
      await wait(seconds * 1_000, undefined, { signal })
    },
    failed(cause) {
      failures++
      if (failures >= maxFailuresInARow) throw unreachable(cause)
    },
    worked() {
      failures = 0
    },
  }
}

/** Paces the clean-up, which no budget and no Ctrl-C stops. */
export function openCleaningPace({ perSecond, onWait }: Pick<Budget, 'perSecond' | 'onWait'>): Pace {
  const { signal } = new AbortController()
  return openPace({ maxCalls: Number.POSITIVE_INFINITY, perSecond, signal, reserved: () => 0, onWait })
}

function tooMany(retryAfter: string | null): CliFailure {
  const told = retryAfter === null ? 'does not say when to try again' : `asks to wait ${retryAfter} seconds`
  return new CliFailure(
    'RATE_LIMITED',
    exits.rateLimited,
    `The service limits requests and ${told}.`,
    'Use a lower --rate.',
  )
}

function unreachable(cause: unknown): CliFailure {
  const message = `${maxFailuresInARow} requests in a row got no answer.`
  return new CliFailure('NETWORK', exits.network, message, 'Check the service, then run it again.', { cause })
}
