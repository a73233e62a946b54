import { expect, it } from 'vitest'
import { openPublicBudget } from './public-budget.js'

let now = new Date('2030-01-01T00:00:30Z')

function refusals(take: () => void, times: number): number {
  let count = 0
  for (let time = 0; time < times; time++) {
    try {
      take()
    } catch {
      count++
    }
  }
  return count
}

it('contract 10.12 so many failed requests a minute come from one address, and others have their own', () => {
  const budget = openPublicBudget(() => now, { most: 3 })

  expect(refusals(() => budget.take('one'), 5)).toBe(2)
  expect(refusals(() => budget.take('other'), 3)).toBe(0)
  expect(() => budget.take('one')).toThrow(expect.objectContaining({ code: 'RATE_LIMITED', retryAfterSeconds: 30 }))
  now = new Date('2030-01-01T00:01:00Z')
  expect(refusals(() => budget.take('one'), 1)).toBe(0)
})

it('contract 10.12 what was good is given back', () => {
  const budget = openPublicBudget(() => now, { most: 3 })

  expect(refusals(() => budget.take('one')(), 100)).toBe(0)
})

it('no more addresses are kept than that', () => {
  const budget = openPublicBudget(() => now, { most: 1, mostAddresses: 2 })

  for (const address of ['one', 'two', 'three']) budget.take(address)

  expect(refusals(() => budget.take('three'), 1)).toBe(1)
  expect(refusals(() => budget.take('one'), 1)).toBe(0)
})
