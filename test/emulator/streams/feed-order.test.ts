/** One connection with several subscriptions: in which order it receives changes, and at whose expense. Contract 9.4. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { defaultSettings } from '../../../client/protocol/model/project.js'
import { openIds } from '../../../emulator/core/ids.js'
import { type Feeds, type Listener, openFeeds } from '../../../emulator/core/realtime/feeds.js'
import { openSubscriber, type Subscriber } from '../../../emulator/core/realtime/subscriber.js'
import type { Database } from '../../../emulator/database/port.js'
import { openMemoryBus } from '../../../emulator/ports/bus/memory-bus.js'
import { insertCollection } from '../../../emulator/store/collections.js'
import { insertDocuments } from '../../../emulator/store/documents.js'
import { insertProject } from '../../../emulator/store/projects.js'
import { deleteOldChanges } from '../../../emulator/store/realtime/changes.js'
import { engines, type OpenedEngine, openEngine } from '../../fixtures/databases/engines.js'

const at = '2026-01-01T00:00:00.000Z'
const newId = openIds()
const collections = ['posts', 'notes'].map((name) => ({
  ...{ id: newId(new Date()), name, schema: {}, permissions: {}, createdAt: at, updatedAt: at },
}))
type Name = 'posts' | 'notes'

/** What went over a connection, in its order. */
type Log = ({ name: string; seq: number } | { name: string; live: number } | { name: string; gapAfter: number })[]

interface Valve extends Subscriber {
  isClosed: boolean
  open(): void
}

/** A connection that can be shut for a while. */
function aConnection(): Valve {
  let opened = () => {}
  const subscriber = openSubscriber({
    isOpen: () => true,
    canWrite: () => !valve.isClosed,
    async drained() {
      if (valve.isClosed) await new Promise<void>((resolve) => (opened = resolve))
    },
  })
  const valve: Valve = {
    ...subscriber,
    isClosed: false,
    open() {
      valve.isClosed = false
      opened()
    },
  }
  return valve
}

function aListener(subscriber: Subscriber, name: Name, log: Log, more: Partial<Listener> = {}): Listener {
  return {
    subscriber,
    collection: collections.find((one) => one.name === name)?.id ?? '',
    position: 0,
    isOver: () => false,
    begun: () => undefined,
    missed: () => void log.push({ name, gapAfter: seqsOf(log, name).at(-1) ?? 0 }),
    costOf: () => 1,
    receive: ({ seq }) => void log.push({ name, seq }),
    live: (live) => void log.push({ name, live }),
    ...more,
  }
}

const seqsOf = (log: Log, name?: Name) =>
  log.flatMap((one) => ('seq' in one && (!name || one.name === name) ? [one.seq] : []))
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => from + n)

describe.each(engines)('A connection on %s', (engine) => {
  let opened: OpenedEngine
  beforeAll(async () => {
    opened = await openEngine(engine)
  })
  afterAll(() => opened.stop())

  /** A project of its own with two collections, and what reads its changes. */
  async function aWorld(around: (query: Database['query']) => Database['query'] = (query) => query) {
    const project = newId(new Date())
    await insertProject(opened.db, { id: project, name: 'test', settings: defaultSettings }, [], at)
    for (const collection of collections) {
      collection.id = newId(new Date())
      await insertCollection(opened.db, project, collection)
    }
    const bus = openMemoryBus()
    const faults: unknown[] = []
    const feeds: Feeds = openFeeds({ ...opened.db, query: around(opened.db.query) }, bus, (error) => faults.push(error))
    /** One change in each in turn. */
    async function write(changes: number, each = 1) {
      for (let n = 0; n < changes; n += each) {
        const collection = collections[(n / each) % 2]
        if (!collection) return
        const documents = Array.from({ length: each }, () => ({ id: newId(new Date()), json: '{}' }))
        await insertDocuments(opened.db, { project, collection, at }, documents)
        bus.publish([{ kind: 'changes', project, seq: null }])
      }
    }
    return { project, feeds, write, faults, bus }
  }

  it('contract 9.4 receives changes of all its subscriptions in commit order', async () => {
    const { project, feeds, write } = await aWorld()
    const log: Log = []
    const connection = aConnection()
    for (const name of ['posts', 'notes'] as const)
      await feeds.join(project, aListener(connection, name, log), undefined)

    await write(200)

    await vi.waitFor(() => expect(seqsOf(log)).toHaveLength(200), { timeout: 20_000 })
    expect(seqsOf(log)).toEqual(range(1, 200))
    feeds.close()
  })

  it('contract 9.4 keeps the order when it falls behind, and others do not wait for it', async () => {
    const { project, feeds, write } = await aWorld()
    const [slow, quick]: Log[] = [[], []]
    const connection = aConnection()
    for (const name of ['posts', 'notes'] as const) {
      await feeds.join(project, aListener(connection, name, slow ?? []), undefined)
      await feeds.join(project, aListener(aConnection(), name, quick ?? []), undefined)
    }

    connection.isClosed = true
    await write(100)
    await vi.waitFor(() => expect(seqsOf(quick ?? [])).toHaveLength(100), { timeout: 20_000 })
    expect(seqsOf(slow ?? [])).toEqual([])
    const writing = write(100)
    connection.open()
    await writing

    await vi.waitFor(() => expect(seqsOf(slow ?? [])).toHaveLength(200), { timeout: 20_000 })
    expect(seqsOf(slow ?? [])).toEqual(range(1, 200))
    feeds.close()
  })

  it('contract 9.4 a replay that is slower than old changes are deleted says so, and goes on from now', async () => {
    const { project, feeds, write } = await aWorld()
    const log: Log = []
    const connection = aConnection()
    await write(1_200, 20)
    const receive: Listener['receive'] = ({ seq }) => {
      log.push({ name: 'posts', seq })
      connection.isClosed ||= seq === 20
    }
    const joining = feeds.join(
      project,
      aListener(connection, 'posts', log, { receive: (change) => receive(change) }),
      0,
    )
    await vi.waitFor(() => expect(seqsOf(log).at(-1)).toBe(20), { timeout: 20_000 })

    await deleteOldChanges(opened.db, { before: '2027-01-01T00:00:00.000Z', kept: 100, most: 2_000 })
    connection.open()
    await joining
    await write(40, 20)

    await vi.waitFor(() => expect(seqsOf(log).at(-1)).toBe(1_220), { timeout: 20_000 })
    expect(log.find((one) => 'gapAfter' in one)).toEqual({ name: 'posts', gapAfter: 20 })
    expect(seqsOf(log)).toEqual([...range(1, 20), ...range(1_201, 1_220)])
    feeds.close()
  })

  it('contract 9.4 a connection that fell behind further than changes are kept says so for each subscription', async () => {
    const { project, feeds, write } = await aWorld()
    const log: Log = []
    const connection = aConnection()
    for (const name of ['posts', 'notes'] as const)
      await feeds.join(project, aListener(connection, name, log), undefined)
    connection.isClosed = true
    await write(40, 20)
    await nextTurn()

    await write(1_200, 20)
    await deleteOldChanges(opened.db, { before: '2027-01-01T00:00:00.000Z', kept: 100, most: 2_000 })
    connection.open()
    await vi.waitFor(() => expect(log.filter((one) => 'gapAfter' in one)).toHaveLength(2), { timeout: 20_000 })
    await write(40, 20)

    await vi.waitFor(() => expect(seqsOf(log).slice(-40)).toEqual(range(1_241, 1_280)), { timeout: 20_000 })
    feeds.close()
  })

  it('contract 9.4 says when a replay is over, and from then on one number resumes all', async () => {
    const { project, feeds, write } = await aWorld()
    const log: Log = []
    const connection = aConnection()
    await write(600, 20)
    await feeds.join(project, aListener(connection, 'posts', log), undefined)

    const writing = write(400)
    await feeds.join(project, aListener(connection, 'notes', log), 0)
    await writing
    await write(10)

    await vi.waitFor(() => expect(seqsOf(log)).toHaveLength(300 + 205 + 205), { timeout: 20_000 })
    const announced = log.findIndex((one) => 'live' in one && one.name === 'notes')
    const live = (log[announced] as { live: number }).live
    const before = log.slice(0, announced)
    const behind = seqsOf(log.slice(announced))
    expect(behind).toEqual(range(live + 1, 1_010))
    // Nothing that is older than what was announced comes later, and nothing twice.
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
    await feeds.join(project, aListener(connection, 'posts', log), undefined)

    connection.isClosed = true
    await write(200)
    const joined = feeds.join(project, aListener(connection, 'notes', log), 0)
    const writing = write(100)
    connection.open()
    await Promise.all([joined, writing])
    await vi.waitFor(() => expect(seqsOf(log)).toHaveLength(300), { timeout: 20_000 })

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
      await feeds.join(project, aListener(connection, name, log), undefined)
    let known = () => {}
    connection.hold(new Promise((resolve) => (known = resolve)))

    await write(50)
    const other: Log = []
    await feeds.join(project, aListener(aConnection(), 'posts', other), 0)
    expect(seqsOf(other)).toHaveLength(25)
    expect(seqsOf(log)).toEqual([])
    known()

    await vi.waitFor(() => expect(seqsOf(log)).toHaveLength(50), { timeout: 20_000 })
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
      const listener = aListener(aConnection(), 'posts', log, { costOf: () => 1_000 })
      const { receive } = listener
      listener.receive = (change) => {
        count()
        receive(change)
      }
      await feeds.join(project, listener, undefined)
    }
    let isOver = false
    const turns = (async () => {
      while (!isOver) {
        inOneTurn = 0
        await nextTurn()
      }
    })()

    await write(2)
    await vi.waitFor(() => expect(seqsOf(log)).toHaveLength(50), { timeout: 20_000 })
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
      await feeds.join(project, aListener(connection, name, log), undefined)

    failing = 2
    await write(20)

    await vi.waitFor(() => expect(seqsOf(log)).toHaveLength(20), { timeout: 20_000 })
    expect(seqsOf(log)).toEqual(range(1, 20))
    expect(faults).toHaveLength(2)
    feeds.close()
  })
})
