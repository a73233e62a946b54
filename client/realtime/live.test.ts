import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Page } from '../protocol/model/page.js'
import { openLive } from './live.js'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

it('rests between two reads while changes keep coming, and reads the last one', async () => {
  let count = 0
  let readCount = 0
  let change = () => {}
  const live = openLive(
    async (): Promise<Page<number>> => {
      readCount++
      return { items: [count], total: 1, limit: 1, offset: 0 }
    },
    ({ onChange }) => {
      change = onChange
      return { status: 'open', close() {} }
    },
    {},
  )

  for (; count < 1_000; count++) {
    change()
    await vi.advanceTimersByTimeAsync(1)
  }
  change()
  await vi.advanceTimersByTimeAsync(100)

  expect(readCount).toBeGreaterThan(10)
  expect(readCount).toBeLessThan(30)
  expect(live.page?.items).toEqual([1_000])
  live.close()
})
