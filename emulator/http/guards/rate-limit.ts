/**
 * Counts requests in fixed windows of the project's clock, across all processes. Doesn't use a library, because the clock is
 * injected: see docs/decisions.
 */
import {
  type RateLimit,
  type RateWindow,
  rateLimits,
  type Tier,
  tierFigure,
} from '../../../client/protocol/model/limits.js'
import type { Backend } from '../../core/context.js'
import { countUses, isSpent, openShares, refill, type Share, useOne } from './shares.js'

export interface RateState {
  /** The window with the fewest requests left, and its figures. */
  readonly window: RateWindow
  readonly limit: number
  /** As far as this process knows: others may have counted in the meantime. */
  readonly remaining: number
  /** The end of that window, in Unix seconds. */
  readonly resetSeconds: number
  /** Set if the request exceeds the limit. */
  readonly retryAfterSeconds: number | undefined
}

export interface RateLimiter {
  /**
   * Counts a request of that key at that time. Returns undefined if nothing is limited. Refused requests don't count.
   *
   * @throws {DatabaseError} if the count cannot be read
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

/** @param maxShares the most windows at once. Beyond that, the oldest start over */
export function openRateLimiter(limits: Backend['limits'], maxShares = 50_000): RateLimiter {
  const shareOf = openShares(maxShares)

  return {
    async count(key, rules, now) {
      const nowSeconds = now.getTime() / 1_000
      const windows = activeWindows(rules).map(({ name, seconds, limit }): Counted => {
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
          remaining: Math.max(0, limit - countUses(share)),
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

/** Checks and uses in one synchronous step. Returns false if this process has to reserve more first. */
function useOneOfEach(limits: Backend['limits'], windows: readonly Counted[]): boolean {
  for (const window of windows) window.isFull = isSpent(window.share, window.limit)
  if (windows.some(({ isFull }) => isFull)) return true
  if (windows.some(({ share }) => share.held === 0)) return false
  for (const { name, share, limit } of windows) useOne(limits, share, sized(name, limit))
  return true
}

/** Reserves more for empty windows. Concurrent requests may use the reservation before the one that waits for it. */
async function fillEmpty(limits: Backend['limits'], windows: readonly Counted[]): Promise<void> {
  const empty = windows.filter(({ share }) => share.held === 0)
  await Promise.all(empty.map(({ name, share, limit }) => refill(limits, share, sized(name, limit))))
}

const sized = (name: RateWindow, most: number) => ({ most, seconds: rateLimits[name].seconds })

/** Returns the windows that are enabled and have a limit. Contract 10.1. */
function activeWindows({ rateLimit, tier }: RateRules): { name: RateWindow; seconds: number; limit: number }[] {
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
