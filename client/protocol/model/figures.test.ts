import { expect, it } from 'vitest'
import { formatBytes, formatCount } from './figures.js'

it.each([
  [0, '0 bytes'],
  [1, '1 byte'],
  [255, '255 bytes'],
  [1023, '1023 bytes'],
  [1024, '1 KB'],
  [1536, '1.5 KB'],
  [8 * 2 ** 10, '8 KB'],
  [2 ** 20, '1 MB'],
  [10 * 2 ** 20, '10 MB'],
  [64 * 2 ** 20, '64 MB'],
  [100 * 2 ** 30, '100 GB'],
  [5 * 2 ** 40, '5 TB'],
  [5_000 * 2 ** 40, '5000 TB'],
])('words %i bytes as %s', (size, words) => {
  expect(formatBytes(size)).toBe(words)
})

it('words counts with separators', () => {
  expect(formatCount(10_000)).toBe('10,000')
})
