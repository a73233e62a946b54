/** One connection with several subscriptions: in which order it receives changes, and whom it delays. Contract 9.4. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Subscription } from '../../../emulator/core/realtime/feeds.js'
import type { Database, Sql } from '../../../emulator/database/port.js'
import { engines, type OpenedEngine, openEngine } from '../../fixtures/databases/engines.js'
import { patiently } from '../../fixtures/patience.js'
import { aConnection, aSubscription, type Log, openWorld, range, seqsOf } from '../../fixtures/realtime/connections.js'

describe.each(engines)('A connection on %s', (engine) => {
  let opened: OpenedEngine
  beforeAll(async () => {
    opened = await openEngine(engine)
  })
  afterAll(() => opened.stop())

  const aWorld = (around?: (query: Database['query']) => Database['query']) => openWorld(opened.db, around)

  it('contract 9.4 receives changes of all its subscriptions in commit order', async () => {
    const { project, feeds, write } = await aWorld()
    const log: Log = []
    const connection = aConnection()
    for (const name of ['posts', 'notes'] as const)
      await feeds.join(project, aSubscription(connection, name, log), undefined)

    await write(200)

    await vi.waitFor(() => expect(seqsOf(log)).toHaveLength(200), patiently)
    expect(seqsOf(log)).toEqual(range(1, 200))
    feeds.close()
  })

  it('contract 9.4 keeps the order when it falls behind, and others do not wait for it', async () => {
    const { project, feeds, write } = await aWorld()
    const [slow, quick]: Log[] = [[], []]
    const connection = aConnection()
    for (const name of ['posts', 'notes'] as const) {
      await feeds.join(project, aSubscription(connection, name, slow ?? []), undefined)
      await feeds.join(project, aSubscription(aConnection(), name, quick ?? []), undefined)
    }

    connection.isClosed = true
    await write(100)
    await vi.waitFor(() => expect(seqsOf(quick ?? [])).toHaveLength(100), patiently)
    expect(seqsOf(slow ?? [])).toEqual([])
    const writing = write(100)
    connection.open()
    await writing

    await vi.waitFor(() => expect(seqsOf(slow ?? [])).toHaveLength(200), patiently)
    expect(seqsOf(slow ?? [])).toEqual(range(1, 200))
    feeds.close()
  })

  it.each([
    ['is more than one read', { gap: 1_200, fullAt: 0, receivedFirst: 501 }],
    ['is more than it takes at once', { gap: 100, fullAt: 30, receivedFirst: 30 }],
  ])(
    'contract 9.4 misses nothing where what others receive while it catches up %s',
    async (_, { gap, fullAt, receivedFirst }) => {
      let gate: Promise<void> | undefined
      let isHeld = false
      const { project, feeds, write } = await aWorld((query) => async <Row>(statement: Sql) => {
        // The others may read once more, after the change that they have received.
        const isOfSlow = statement.text.includes('from changes') && statement.values.includes(0)
        const isFirst = gate !== undefined && !isHeld && isOfSlow
        isHeld ||= isFirst
        const rows = await query<Row>(statement)
        if (isFirst) await gate
        return rows
      })
      const [slow, quick]: [Log, Log] = [[], []]
      const connection = aConnection()
      const other = aConnection()
      for (const name of ['posts', 'notes'] as const) {
        const receive: Subscription['receive'] = ({ seq }) => {
          slow.push({ name, seq })
          connection.isClosed ||= seq === fullAt
        }
        await feeds.join(project, aSubscription(connection, name, slow, { receive }), undefined)
        await feeds.join(project, aSubscription(other, name, quick), undefined)
      }
      connection.isClosed = true
      await write(1)
      await vi.waitFor(() => expect(seqsOf(quick)).toHaveLength(1), patiently)

      // It has read all that there is, and the others receive more before it is on a level with them.
      let goOn = () => {}
      gate = new Promise((resolve) => (goOn = resolve))
      connection.open()
      await vi.waitFor(() => expect(isHeld).toBe(true), patiently)
      await write(gap, 100)
      await vi.waitFor(() => expect(seqsOf(quick)).toHaveLength(1 + gap), patiently)
      goOn()
      await vi.waitFor(() => expect(seqsOf(slow).length).toBeGreaterThanOrEqual(receivedFirst), patiently)
      connection.open()
      await write(1)
      await vi.waitFor(() => expect(seqsOf(slow).at(-1)).toBe(gap + 2), patiently)

      expect(seqsOf(slow)).toEqual(range(1, gap + 2))
      feeds.close()
    },
  )

  it('contract 9.4 says when a replay is over, and from then on one number resumes all', async () => {
    const { project, feeds, write } = await aWorld()
    const log: Log = []
    const connection = aConnection()
    await write(600, 20)
    await feeds.join(project, aSubscription(connection, 'posts', log), undefined)

    const writing = write(400)
    await feeds.join(project, aSubscription(connection, 'notes', log), 0)
    await writing
    await write(10)

    await vi.waitFor(() => expect(seqsOf(log)).toHaveLength(300 + 205 + 205), patiently)
    const announced = log.findIndex((one) => 'live' in one && one.name === 'notes')
    const live = (log[announced] as { live: number }).live
    const before = log.slice(0, announced)
    const behind = seqsOf(log.slice(announced))
    expect(behind).toEqual(range(live + 1, 1_010))
    // Nothing older than what was announced comes later, and nothing twice.
    expect(Math.max(...seqsOf(before))).toBeLessThanOrEqual(live)
    expect(new Set(seqsOf(log)).size).toBe(seqsOf(log).length)
    for (const name of ['posts', 'notes'] as const)
      expect(seqsOf(log, name)).toEqual([...seqsOf(log, name)].sort((one, other) => one - other))
    feeds.close()
  })

  it('contract 9.4 a replay beside a connection that fell behind is over when both are on a level', async () => {
    const { project, feeds, write } = await aWorld()
    const log: Log = []
    const connection = aConnection()
    await feeds.join(project, aSubscription(connection, 'posts', log), undefined)

    connection.isClosed = true
    await write(200)
    const joined = feeds.join(project, aSubscription(connection, 'notes', log), 0)
    const writing = write(100)
    connection.open()
    await Promise.all([joined, writing])
    await vi.waitFor(() => expect(seqsOf(log)).toHaveLength(300), patiently)

    const announced = log.findIndex((one) => 'live' in one && one.name === 'notes')
    const live = (log[announced] as { live: number }).live
    expect(Math.max(...seqsOf(log.slice(0, announced)))).toBeLessThanOrEqual(live)
    expect(seqsOf(log.slice(announced))).toEqual(range(live + 1, 300))
    feeds.close()
  })

  it('contract 9.4 nothing goes out while it is not known who may receive it, and then in order', async () => {
    const { project, feeds, write } = await aWorld()
    const log: Log = []
    const connection = aConnection()
    for (const name of ['posts', 'notes'] as const)
      await feeds.join(project, aSubscription(connection, name, log), undefined)
    let known = () => {}
    connection.hold(new Promise((resolve) => (known = resolve)))

    await write(50)
    const other: Log = []
    await feeds.join(project, aSubscription(aConnection(), 'posts', other), 0)
    expect(seqsOf(other)).toHaveLength(25)
    expect(seqsOf(log)).toEqual([])
    known()

    await vi.waitFor(() => expect(seqsOf(log)).toHaveLength(50), patiently)
    expect(seqsOf(log)).toEqual(range(1, 50))
    feeds.close()
  })

  it('contract 10.11 subscriptions whose filters cost a lot leave others their turn', async () => {
    const { project, feeds, write } = await aWorld()
    let inOneTurn = 0
    let most = 0
    const count = () => {
      most = Math.max(most, ++inOneTurn)
    }
    const log: Log = []
    for (let n = 0; n < 50; n++) {
      const subscription = aSubscription(aConnection(), 'posts', log, { measureCost: () => 1_000 })
      const { receive } = subscription
      subscription.receive = (change, links) => {
        count()
        receive(change, links)
      }
      await feeds.join(project, subscription, undefined)
    }
    let isOver = false
    const turns = (async () => {
      while (!isOver) {
        inOneTurn = 0
        await nextTurn()
      }
    })()

    await write(2)
    await vi.waitFor(() => expect(seqsOf(log)).toHaveLength(50), patiently)
    isOver = true
    await turns

    expect(most).toBeLessThanOrEqual(2)
    feeds.close()
  })

  it('contract 9.4 a database that fails for a while costs nobody a subscription or a change', async () => {
    let failing = 0
    const { project, feeds, write, faults } = await aWorld((query) => (statement) => {
      if (failing === 0 || !statement.text.includes('from changes')) return query(statement)
      failing--
      return Promise.reject(new Error('The database is away.'))
    })
    const log: Log = []
    const connection = aConnection()
    for (const name of ['posts', 'notes'] as const)
      await feeds.join(project, aSubscription(connection, name, log), undefined)

    failing = 2
    await write(20)

    await vi.waitFor(() => expect(seqsOf(log)).toHaveLength(20), patiently)
    expect(seqsOf(log)).toEqual(range(1, 20))
    expect(faults).toHaveLength(2)
    feeds.close()
  })

  it('contract 9.4 a replay goes on after a database that fails for a while', async () => {
    let failing = 0
    const { project, feeds, write, faults } = await aWorld((query) => (statement) => {
      if (failing === 0 || !statement.text.includes('from changes')) return query(statement)
      failing--
      return Promise.reject(new Error('The database is away.'))
    })
    await write(40)
    const log: Log = []
    const begun = () => {
      failing = 2
    }

    await feeds.join(project, aSubscription(aConnection(), 'posts', log, { begun }), 0)

    expect(seqsOf(log)).toEqual(range(1, 40).filter((seq) => seq % 2 === 1))
    expect(faults).toHaveLength(2)
    feeds.close()
  })

  it('contract 9.4 a replay goes on where its connection stopped reading', async () => {
    const { project, feeds, write } = await aWorld()
    const log: Log = []
    const connection = aConnection()
    await write(20, 20)
    const receive: Subscription['receive'] = ({ seq }) => {
      log.push({ name: 'posts', seq })
      connection.isClosed ||= seq === 10
    }

    const joining = feeds.join(project, aSubscription(connection, 'posts', log, { receive }), 0)
    await vi.waitFor(() => expect(seqsOf(log)).toEqual(range(1, 10)), patiently)
    connection.open()
    await joining

    expect(seqsOf(log)).toEqual(range(1, 20))
    feeds.close()
  })
})
