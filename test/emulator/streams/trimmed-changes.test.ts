/** Old changes are deleted while a subscriber still reads them. Contract 9.4. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Subscription } from '../../../emulator/core/realtime/feeds.js'
import { deleteOldChanges } from '../../../emulator/store/realtime/trimming.js'
import { engines, type OpenedEngine, openEngine } from '../../fixtures/databases/engines.js'
import { patiently } from '../../fixtures/patience.js'
import { aConnection, aSubscription, type Log, openWorld, range, seqsOf } from '../../fixtures/realtime/connections.js'

describe.each(engines)('on %s', (engine) => {
  let opened: OpenedEngine
  beforeAll(async () => {
    opened = await openEngine(engine)
  })
  afterAll(() => opened.stop())

  it('contract 9.4 a replay that is slower than old changes are deleted says so, and goes on from now', async () => {
    const { project, feeds, write } = await openWorld(opened.db)
    const log: Log = []
    const connection = aConnection()
    await write(1_200, 20)
    const receive: Subscription['receive'] = ({ seq }) => {
      log.push({ name: 'posts', seq })
      connection.isClosed ||= seq === 20
    }
    const joining = feeds.join(
      project,
      aSubscription(connection, 'posts', log, { receive: (change, links) => receive(change, links) }),
      0,
    )
    await vi.waitFor(() => expect(seqsOf(log).at(-1)).toBe(20), patiently)

    await deleteOldChanges(opened.db, { before: '2027-01-01T00:00:00.000Z', kept: 100, most: 2_000 })
    connection.open()
    await joining
    await write(40, 20)

    await vi.waitFor(() => expect(seqsOf(log).at(-1)).toBe(1_220), patiently)
    expect(log.find((one) => 'gapAfter' in one)).toEqual({ name: 'posts', gapAfter: 20 })
    expect(seqsOf(log)).toEqual([...range(1, 20), ...range(1_201, 1_220)])
    feeds.close()
  })

  it('contract 9.4 a connection that fell behind further than changes are kept says so for each subscription', async () => {
    const { project, feeds, write } = await openWorld(opened.db)
    const log: Log = []
    const connection = aConnection()
    for (const name of ['posts', 'notes'] as const)
      await feeds.join(project, aSubscription(connection, name, log), undefined)
    connection.isClosed = true
    await write(40, 20)
    await nextTurn()

    await write(1_200, 20)
    await deleteOldChanges(opened.db, { before: '2027-01-01T00:00:00.000Z', kept: 100, most: 2_000 })
    connection.open()
    await vi.waitFor(() => expect(log.filter((one) => 'gapAfter' in one)).toHaveLength(2), patiently)
    await write(40, 20)

    await vi.waitFor(() => expect(seqsOf(log).slice(-40)).toEqual(range(1_241, 1_280)), patiently)
    feeds.close()
  })
})
