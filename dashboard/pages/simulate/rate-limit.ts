/** Switches the windows of the setting rateLimit on and off. */
import {
  type RateLimit,
  type RateWindow,
  rateLimits,
  type Tier,
  tierFigure,
} from '../../../client/protocol/model/limits.js'

export function limits(rateLimit: RateLimit, window: RateWindow): boolean {
  if (rateLimit === 'off') return false
  return isList(rateLimit) ? rateLimit.includes(window) : rateLimit[window] !== undefined
}

interface Plan {
  readonly rateLimit: RateLimit
  readonly tier: Tier
}

/**
 * Switches one window on or off. The project's own limits stay, and a new window gets the limit of the tier.
 * @throws {Error} if the tier has no limit for the window
 */
export function withWindow({ rateLimit, tier }: Plan, window: RateWindow, isOn: boolean): RateLimit {
  const others = (Object.keys(rateLimits) as RateWindow[]).filter((each) => each !== window && limits(rateLimit, each))
  if (others.length === 0 && !isOn) return 'off'
  if (rateLimit === 'off' || isList(rateLimit)) return isOn ? [...others, window] : others
  const { [window]: _, ...own } = rateLimit
  if (!isOn) return own
  const figure = tierFigure(window, tier)
  if (figure !== undefined) return { ...own, [window]: figure }
  throw new Error(`The tier "${tier}" has no limit per ${window}. Set your own number in the setting rateLimit.`)
}

function isList(rateLimit: Exclude<RateLimit, 'off'>): rateLimit is readonly RateWindow[] {
  return Array.isArray(rateLimit)
}
