import { expect, it } from 'vitest'
import { openMemoryLimits } from '../../ports/limits/memory-limits.js'
import { openPublicBudget } from './public-budget.js'

let now = new Date('2030-01-01T00:00:30Z')

/** Fails that often in sequence. Returns how many attempts were refused on entry. */
function refusals(enter: () => () => void, times: number): number {
  let count = 0
  for (let time = 0; time < times; time++) {
    try {
      enter()()
    } catch {
      count++
    }
  }
  return count
}

it('contract 10.12 limits failed requests per minute for each address', () => {
  const budget = openPublicBudget(() => now, openMemoryLimits(), { most: 3 })

  expect(refusals(() => budget.enter('one'), 5)).toBe(2)
  expect(refusals(() => budget.enter('other'), 3)).toBe(0)
  expect(() => budget.enter('one')).toThrow(expect.objectContaining({ code: 'RATE_LIMITED', retryAfterSeconds: 30 }))
  now = new Date('2030-01-01T00:01:00Z')
  expect(refusals(() => budget.enter('one'), 1)).toBe(0)
})

it("contract 10.12 doesn't count requests in progress or successful ones", () => {
  const budget = openPublicBudget(() => now, openMemoryLimits(), { most: 3 })

  const onTheirWay = Array.from({ length: 100 }, () => budget.enter('one'))

  for (const fail of onTheirWay.slice(0, 2)) fail()
  expect(refusals(() => budget.enter('one'), 2)).toBe(1)
})

it('forgets the oldest addresses beyond the limit', () => {
  const budget = openPublicBudget(() => now, openMemoryLimits(), { most: 1, maxAddresses: 2 })

  for (const address of ['one', 'two', 'three']) budget.enter(address)()

  expect(refusals(() => budget.enter('three'), 1)).toBe(1)
  expect(refusals(() => budget.enter('one'), 1)).toBe(0)
})
