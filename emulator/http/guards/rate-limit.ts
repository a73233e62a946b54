/**
 * Counts requests in fixed windows of the project's clock. A counter of our own, because the clock comes
 * from outside: docs/decisions has the reasons.
 */
import {
  type RateLimit,
  type RateWindow,
  rateLimits,
  type Tier,
  tierFigure,
} from '../../../client/protocol/model/limits.js'
import { openWindowCounters } from './window-counters.js'

export interface RateState {
  /** The window that has the fewest requests left, and its figures. */
  readonly window: RateWindow
  readonly limit: number
  readonly remaining: number
  /** When that window ends, in Unix seconds. */
  readonly resetSeconds: number
  /** Set if the request is one too many. */
  readonly retryAfterSeconds: number | undefined
}

export interface RateLimiter {
  /** Counts one request of that key, at that moment; nothing if nothing is limited. A refused request does not count. */
  count(key: string, rules: RateRules, now: Date): RateState | undefined
}

export interface RateRules {
  readonly rateLimit: RateLimit
  readonly tier: Tier
}

/** @param mostCounters more keys than that at once, and the oldest start again */
export function openRateLimiter(mostCounters = 50_000): RateLimiter {
  const counterOf = openWindowCounters(mostCounters)

  return {
    count(key, rules, now) {
      if (rules.rateLimit === 'off') return undefined
      const nowSeconds = now.getTime() / 1_000
      const windows = windowsOf(rules).map(({ name, seconds, limit }) => {
        const window = Math.floor(nowSeconds / seconds)
        return { name, limit, counter: counterOf(`${key} ${name}`, window), resetSeconds: (window + 1) * seconds }
      })
      const full = windows.filter(({ counter, limit }) => counter.requests >= limit)
      if (full.length === 0) for (const { counter } of windows) counter.requests++
      const [tightest] = windows
        .map(({ name, limit, counter, resetSeconds }) => ({
          window: name,
          limit,
          remaining: Math.max(0, limit - counter.requests),
          resetSeconds,
        }))
        .sort((one, other) => one.remaining - other.remaining || other.resetSeconds - one.resetSeconds)
      if (!tightest) return undefined
      const until = Math.max(...full.map(({ resetSeconds }) => resetSeconds))
      return {
        ...tightest,
        retryAfterSeconds: full.length === 0 ? undefined : Math.max(1, Math.ceil(until - nowSeconds)),
      }
    },
  }
}

/** The windows that are on and have a figure. Contract 10.1. */
function windowsOf({ rateLimit, tier }: RateRules): { name: RateWindow; seconds: number; limit: number }[] {
  const names = Object.keys(rateLimits) as RateWindow[]
  return names.flatMap((name) => {
    const limit = figure(rateLimit, name, tier)
    return limit === undefined ? [] : [{ name, seconds: rateLimits[name].seconds, limit }]
  })
}

function figure(rateLimit: RateLimit, name: RateWindow, tier: Tier): number | undefined {
  if (rateLimit === 'off') return undefined
  if ('includes' in rateLimit) return rateLimit.includes(name) ? tierFigure(name, tier) : undefined
  return rateLimit[name]
}
