import { expect, test } from 'vitest'
import { type Happened, openEventLog } from './event-log.js'

const aMail = (subject: string): Happened => ({
  kind: 'mail.sent',
  projectId: null,
  mail: { id: '1', to: 'ada@example.com', subject, why: null },
})

test('a log keeps so many events, and says how many a reader has missed', () => {
  const log = openEventLog({ events: 3, bytes: 100_000 })
  for (let n = 1; n <= 5; n++) log.add(aMail(`Mail ${n}`))

  const { events, missed } = log.read(0, 10)
  const later = log.read(4, 10)

  expect([events.map(({ at }) => at), missed]).toEqual([[3, 4, 5], 2])
  expect([later.events.map(({ at }) => at), later.missed]).toEqual([[5], 0])
  expect(log.read(5, 10)).toEqual({ events: [], missed: 0 })
})

test('a log keeps so many bytes', () => {
  const log = openEventLog({ events: 1_000, bytes: 10_000 })
  for (let n = 1; n <= 100; n++) log.add(aMail('x'.repeat(1_000)))

  const { events, missed } = log.read(0, 1_000)

  expect(events.length).toBeGreaterThan(5)
  expect(events.reduce((sum, { text }) => sum + text.length, 0)).toBeLessThanOrEqual(10_000)
  expect(events.length + missed).toBe(100)
})

test('a log that was emptied goes on with the next place, and what is gone was not missed', () => {
  const log = openEventLog()
  log.add(aMail('Before'))
  log.clear()
  log.add(aMail('After'))

  const { events, missed } = log.read(0, 10)

  expect([events.map(({ at }) => at), missed]).toEqual([[2], 0])
  expect(log.placeOf(log.idOf(1))).toBe(1)
})

test('an id names its place, and those of other logs name none', () => {
  const log = openEventLog()
  log.add(aMail('Hello'))

  expect(log.placeOf(log.idOf(1))).toBe(1)
  expect([openEventLog().idOf(1), log.idOf(2), 'x', ''].map(log.placeOf)).toEqual(Array(4).fill(undefined))
})
