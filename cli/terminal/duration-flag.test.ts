import { expect, test } from 'vitest'
import { asDuration } from './duration-flag.js'

const seconds = asDuration({ unit: 's' })
const milliseconds = asDuration({ unit: 'ms', max: 60_000, isWhole: true })

test.each([
  ['5', 5],
  ['0', 0],
  ['1.5', 1.5],
  ['30s', 30],
  ['5m', 300],
  ['1h30m', 5_400],
  ['500ms', 0.5],
  ['24d', 2_073_600],
])('of seconds, "%s" is %d', async (text, value) => {
  expect(await seconds.parse(text)).toBe(value)
})

test.each([
  ['300', 300],
  ['300ms', 300],
  ['2s', 2_000],
  ['1m', 60_000],
])('of milliseconds, "%s" is %d', async (text, value) => {
  expect(await milliseconds.parse(text)).toBe(value)
})

test.each([
  [seconds, 'x', 'Expected a duration, for example 30s or 5m, but received: x'],
  [seconds, '', 'Expected a duration, for example 30s or 5m, but received: '],
  [seconds, '-5', 'Expected a duration, for example 30s or 5m, but received: -5'],
  [seconds, '-5s', 'Expected at least 0s but received: -5s'],
  // Longer than a timer runs.
  [seconds, '25d', 'Expected at most 24d but received: 25d'],
  [seconds, '9999999999', 'Expected at most 24d but received: 9999999999'],
  [milliseconds, '61s', 'Expected at most 1m but received: 61s'],
  [asDuration({ unit: 's', min: 1 }), '0', 'Expected at least 1s but received: 0'],
  [asDuration({ unit: 's', isWhole: true }), '1.5', 'Expected whole seconds but received: 1.5'],
])('%# "%s": %s', async (flag, text, message) => {
  await expect(flag.parse(text)).rejects.toThrow(message)
})

test('the default is shown with its unit', async () => {
  expect(await seconds.defaultHelp({ options: { default: 300 } })).toBe('5m')
  expect(await seconds.defaultHelp({ options: {} })).toBeUndefined()
})
