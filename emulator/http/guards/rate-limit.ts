/**
 * Counts requests in fixed windows of the project's clock, for all processes together. A counter of our own, because the clock
 * comes from outside: docs/decisions has the reasons.
 */
import {
  type RateLimit,
  type RateWindow,
  rateLimits,
  type Tier,
  tierFigure,
} from '../../../client/protocol/model/limits.js'
import type { Backend } from '../../core/context.js'
import { isSpent, openShares, refill, type Share, useOne, usesOf } from './shares.js'

export interface RateState {
  /** The window that has the fewest requests left, and its figures. */
  readonly window: RateWindow
  readonly limit: number
  /** As far as this process knows: others may have counted since it asked. */
  readonly remaining: number
  /** When that window ends, in Unix seconds. */
  readonly resetSeconds: number
  /** Set if the request is one too many. */
  readonly retryAfterSeconds: number | undefined
}

export interface RateLimiter {
  /**
   * Counts one request of that key, at that moment; nothing if nothing is limited. A refused request does not count.
   *
   * @throws {DatabaseError} where the count cannot be read
   */
  count(key: string, rules: RateRules, now: Date): Promise<RateState | undefined>
}

export interface RateRules {
  readonly rateLimit: RateLimit
  readonly tier: Tier
}

interface Counted {
  readonly name: RateWindow
  readonly limit: number
  readonly share: Share
  readonly resetSeconds: number
  isFull: boolean
}

/** @param mostShares more windows than that at once, and the oldest start again */
export function openRateLimiter(limits: Backend['limits'], mostShares = 50_000): RateLimiter {
  const shareOf = openShares(mostShares)

  return {
    async count(key, rules, now) {
      const nowSeconds = now.getTime() / 1_000
      const windows = windowsOf(rules).map(({ name, seconds, limit }): Counted => {
        const window = Math.floor(nowSeconds / seconds)
        const share = shareOf(`key ${key} ${name}`, window)
        return { name, limit, share, resetSeconds: (window + 1) * seconds, isFull: false }
      })
      while (!useOneOfEach(limits, windows)) await fillEmpty(limits, windows)
      const full = windows.filter(({ isFull }) => isFull)
      const [tightest] = windows
        .map(({ name, limit, share, resetSeconds }) => ({
          window: name,
          limit,
          remaining: Math.max(0, limit - usesOf(share)),
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

/** Without a pause between looking and using. False where this process has to reserve more before it knows. */
function useOneOfEach(limits: Backend['limits'], windows: readonly Counted[]): boolean {
  for (const window of windows) window.isFull = isSpent(window.share, window.limit)
  if (windows.some(({ isFull }) => isFull)) return true
  if (windows.some(({ share }) => share.held === 0)) return false
  for (const { name, share, limit } of windows) useOne(limits, share, sized(name, limit))
  return true
}

/** Others may use what comes before the one that waits for it does. */
async function fillEmpty(limits: Backend['limits'], windows: readonly Counted[]): Promise<void> {
  const empty = windows.filter(({ share }) => share.held === 0)
  await Promise.all(empty.map(({ name, share, limit }) => refill(limits, share, sized(name, limit))))
}

const sized = (name: RateWindow, most: number) => ({ most, seconds: rateLimits[name].seconds })

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
