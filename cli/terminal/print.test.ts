import { expect, test } from 'vitest'
import { openTable } from './print.js'

test.each([
  [Number.POSITIVE_INFINITY, '1234567'],
  [40, '1…'],
])('in %s columns, a row that is wider than the first ones reads %s', (width, line) => {
  const { lines } = openTable([{ n: 10 }], { width })

  expect(lines([{ n: 1_234_567 }])).toBe(line)
})
