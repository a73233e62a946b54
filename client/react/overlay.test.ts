import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { openOverlay } from './overlay.js'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const at = (second: number) => new Date(second * 1_000).toISOString()
const doc = (id: string, title: string, updated = 1) => ({
  id,
  data: { title },
  createdAt: at(1),
  updatedAt: at(updated),
})
const titles = (items: readonly { data: object }[]) => items.map(({ data }) => Object.values(data)[0]).join()

it('hides what was deleted from each list until that list was read without it', () => {
  const overlay = openOverlay()
  const [one, other] = [new WeakSet(), new WeakSet()]
  const before = [doc('1', 'A'), doc('2', 'B')]
  const pending = overlay.begin({ kind: 'delete', id: '1', data: {} })
  overlay.settle([doc('2', 'B')], one)
  expect(titles(overlay.apply(before, one, false))).toBe('B')

  pending.confirm(undefined)
  overlay.settle([doc('2', 'B')], one)
  vi.advanceTimersByTime(30_000)

  expect(titles(overlay.apply(before, other, false))).toBe('B')
  overlay.settle(before, other)
  expect(titles(overlay.apply(before, other, false))).toBe('B')
})

it('shows an update in each list until that list has it', () => {
  const overlay = openOverlay()
  const [one, other] = [new WeakSet(), new WeakSet()]
  const pending = overlay.begin({ kind: 'update', id: '1', data: { title: 'B' } })
  expect(titles(overlay.apply([doc('1', 'A')], one, false))).toBe('B')

  pending.confirm(doc('1', 'B', 2))
  overlay.settle([doc('1', 'B', 2)], one)

  expect(titles(overlay.apply([doc('1', 'A')], other, false))).toBe('B')
  // Another user has changed it since.
  expect(titles(overlay.apply([doc('1', 'C', 3)], one, false))).toBe('C')
  expect(titles(overlay.apply([doc('1', 'C', 3)], other, false))).toBe('C')
})

it('shows a new document once, and no longer where a list has it on another page', () => {
  const overlay = openOverlay()
  const settled = new WeakSet()
  const pending = overlay.begin({ kind: 'create', id: 'new-1', data: { title: 'A' } })
  expect(titles(overlay.apply([], settled, false))).toBe('A')
  expect(titles(overlay.apply([], settled, true))).toBe('')

  pending.confirm(doc('1', 'A'))
  expect(titles(overlay.apply([doc('1', 'A')], settled, false))).toBe('A')
  expect(titles(overlay.apply([], settled, false))).toBe('A')
  vi.advanceTimersByTime(10_000)
  expect(titles(overlay.apply([], settled, false))).toBe('')
})

it('takes back what is refused', () => {
  const overlay = openOverlay()
  const pending = overlay.begin({ kind: 'update', id: '1', data: { title: 'B' } })
  pending.rollBack()
  expect(titles(overlay.apply([doc('1', 'A')], new WeakSet(), false))).toBe('A')
})
