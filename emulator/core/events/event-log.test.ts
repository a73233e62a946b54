import { expect, test } from 'vitest'
import { type Happened, openEventLog } from './event-log.js'

const aMail = (subject: string): Happened => ({
  kind: 'mail.sent',
  projectId: null,
  mail: { id: '1', to: 'ada@example.com', subject, why: null },
})

test('keeps a limited number of events and counts those that a reader missed', () => {
  const log = openEventLog({ events: 3, bytes: 100_000 })
  for (let n = 1; n <= 5; n++) log.add(aMail(`Mail ${n}`))

  const { events, missed } = log.read(0, 10)
  const later = log.read(4, 10)

  expect([events.map(({ at }) => at), missed]).toEqual([[3, 4, 5], 2])
  expect([later.events.map(({ at }) => at), later.missed]).toEqual([[5], 0])
  expect(log.read(5, 10)).toEqual({ events: [], missed: 0 })
})

test('keeps a limited number of bytes', () => {
  const log = openEventLog({ events: 1_000, bytes: 10_000 })
  for (let n = 1; n <= 100; n++) log.add(aMail('x'.repeat(1_000)))

  const { events, missed } = log.read(0, 1_000)

  expect(events.length).toBeGreaterThan(5)
  expect(events.reduce((sum, { text }) => sum + text.length, 0)).toBeLessThanOrEqual(10_000)
  expect(events.length + missed).toBe(100)
})

test('continues with the next position after it is cleared, and does not count cleared events as missed', () => {
  const log = openEventLog()
  log.add(aMail('Before'))
  log.clear()
  log.add(aMail('After'))

  const { events, missed } = log.read(0, 10)

  expect([events.map(({ at }) => at), missed]).toEqual([[2], 0])
  expect(log.findPosition(log.makeId(1))).toBe(1)
})

test('finds the position of an id, but not of an id from another log', () => {
  const log = openEventLog()
  log.add(aMail('Hello'))

  expect(log.findPosition(log.makeId(1))).toBe(1)
  expect([openEventLog().makeId(1), log.makeId(2), 'x', ''].map(log.findPosition)).toEqual(Array(4).fill(undefined))
})
