import { afterAll, beforeAll, expect, it } from 'vitest'
import { openDocumentEvents } from '../../../emulator/core/events/document-events.js'
import { openEventLog } from '../../../emulator/core/events/event-log.js'
import { openMemoryBus } from '../../../emulator/ports/bus/memory-bus.js'
import { type OpenedEngine, openEngine } from '../../fixtures/databases/engines.js'

let engine: OpenedEngine
beforeAll(async () => {
  engine = await openEngine('pglite')
})
afterAll(() => engine.stop())

function aReader(idleMilliseconds: number) {
  const log = openEventLog()
  const report = (error: unknown) => {
    throw error
  }
  return { log, events: openDocumentEvents({ db: engine.db, bus: openMemoryBus(), log, report, idleMilliseconds }) }
}

it('a reader that comes back soon has missed no change, even where nothing else has happened', async () => {
  const { log, events } = aReader(60_000)
  const leave = await events.watch()
  const place = log.newest()
  leave()

  await events.watch()

  expect(events.since()).toBeLessThanOrEqual(place)
  events.close()
})

it('a reader that comes back after an idle time may have missed changes, even where nothing else has happened', async () => {
  const { log, events } = aReader(0)
  const leave = await events.watch()
  const place = log.newest()
  leave()

  await expect
    .poll(async () => {
      ;(await events.watch())()
      return events.since()
    })
    .toBeGreaterThan(place)
  events.close()
})
