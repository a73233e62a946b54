import { expect, test } from 'vitest'
import { readDuration, writeDuration } from './duration.js'

const lengths: readonly (readonly [text: string, milliseconds: number, written: string])[] = [
  ['90s', 90_000, '1m30s'],
  ['61m', 3_660_000, '1h1m'],
  ['1h30m', 5_400_000, '1h30m'],
  ['1.5h', 5_400_000, '1h30m'],
  ['25h', 90_000_000, '1d1h'],
  ['2d 3s', 172_803_000, '2d3s'],
  ['-1h', -3_600_000, '-1h'],
  ['250ms', 250, '0s'],
  ['0s', 0, '0s'],
]

test.each(lengths)('"%s" is %i ms', (text, milliseconds, written) => {
  expect(readDuration(text)).toBe(milliseconds)
  expect(writeDuration(milliseconds)).toBe(written)
})

test.each(['', '5', 'h', '1w', '1h-5m', 'soon', '1.h', '--1h'])('"%s" is not a valid duration', (text) => {
  expect(() => readDuration(text)).toThrow('Invalid duration')
})
