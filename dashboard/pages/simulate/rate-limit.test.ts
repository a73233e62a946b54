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
] as const)('changes only one window: rate limit %j, %s switched to %s, gives %j', (before, window, isOn, after) => {
  const rateLimit = withWindow({ rateLimit: before, tier: 'pro' }, window, isOn)

  expect(rateLimit).toEqual(after)
  expect(limits(rateLimit, window)).toBe(isOn)
})

test('refuses to switch on a window without a limit in the tier if the project has its own limits', () => {
  const plan = { rateLimit: { minute: 5 }, tier: 'standard' } as const

  expect(() => withWindow(plan, 'hour', true)).toThrow('The tier "standard" has no limit per hour.')
})
