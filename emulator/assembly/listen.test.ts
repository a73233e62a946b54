import { afterEach, expect, it, vi } from 'vitest'
import { closingTime } from './listen.js'

afterEach(() => void vi.useRealTimers())

it('shares one timeout between ports that close one after another, with at least a second for the last', () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  const left = closingTime(20_000)

  const first = left()
  vi.advanceTimersByTime(15_000)
  const second = left()
  vi.advanceTimersByTime(5_000)

  expect([first, second, left()]).toEqual([20_000, 5_000, 1_000])
  expect(closingTime(0)()).toBe(0)
})
