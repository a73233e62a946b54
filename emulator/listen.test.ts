import { afterEach, expect, it, vi } from 'vitest'
import { closingTime } from './listen.js'

afterEach(() => void vi.useRealTimers())

it('gives ports that close one after the other one time to finish their requests in, and a second to the last at least', () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  const left = closingTime(20_000)

  const first = left()
  vi.advanceTimersByTime(15_000)
  const second = left()
  vi.advanceTimersByTime(5_000)

  expect([first, second, left()]).toEqual([20_000, 5_000, 1_000])
  expect(closingTime(0)()).toBe(0)
})
