import { expect, test } from 'vitest'
import { limits, withWindow } from './rate-limit.js'

test.each([
  ['off', 'minute', true, ['minute']],
  [['minute'], 'hour', true, ['minute', 'hour']],
  [['minute', 'hour'], 'minute', false, ['hour']],
  [['minute'], 'minute', false, 'off'],
  [{ minute: 5 }, 'hour', true, { minute: 5, hour: 10_000 }],
  [{ minute: 5, day: 70 }, 'day', false, { minute: 5 }],
  [{ minute: 5 }, 'minute', false, 'off'],
] as const)(
  'of the rate limit %j a switch of the %s to %s leaves the other figures: %j',
  (before, window, isOn, after) => {
    const rateLimit = withWindow({ rateLimit: before, tier: 'pro' }, window, isOn)

    expect(rateLimit).toEqual(after)
    expect(limits(rateLimit, window)).toBe(isOn)
  },
)

test('a window for which the tier has no figure is not switched on beside figures of the project', () => {
  const plan = { rateLimit: { minute: 5 }, tier: 'standard' } as const

  expect(() => withWindow(plan, 'hour', true)).toThrow('The tier "standard" has no limit per hour.')
})
