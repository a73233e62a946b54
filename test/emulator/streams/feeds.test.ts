/** Many subscribers that reconnect at once: each receives everything, with few queries. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { defaultSettings } from '../../../client/protocol/model/project.js'
import { openIds } from '../../../emulator/core/ids.js'
import { openFeeds, type Subscription } from '../../../emulator/core/realtime/feeds.js'
import { openTransport } from '../../../emulator/core/realtime/transport.js'
import type { Database } from '../../../emulator/database/port.js'
import { openMemoryBus } from '../../../emulator/ports/bus/memory-bus.js'
import { insertCollection } from '../../../emulator/store/collections.js'
import { insertDocuments } from '../../../emulator/store/documents.js'
import { insertProject } from '../../../emulator/store/projects.js'
import { selectChanges } from '../../../emulator/store/realtime/changes.js'
import { engines, type OpenedEngine, openEngine } from '../../fixtures/databases/engines.js'
import { patiently } from '../../fixtures/patience.js'

const at = '2026-01-01T00:00:00.000Z'
const newId = openIds()
const project = newId(new Date())
const collection = { id: newId(new Date()), name: 'posts', schema: {}, permissions: {}, createdAt: at, updatedAt: at }
const changes = 1_200
const subscriptions = 100

describe.each(engines)('Those who catch up on %s', (engine) => {
  let opened: OpenedEngine
  beforeAll(async () => {
    opened = await openEngine(engine)
    await insertProject(opened.db, { id: project, name: 'test', settings: defaultSettings }, [], at)
    await insertCollection(opened.db, project, collection)
    const documents = Array.from({ length: changes }, () => ({ id: newId(new Date()), json: '{}' }))
    await insertDocuments(opened.db, { project, collection, at }, documents)
  })
  afterAll(() => opened.stop())

  /** Reconnects all of them, each after its number; what each received, and how many queries ran in all and at once. */
  async function comeBack(sinceOf: (subscription: number) => number) {
    const faults: unknown[] = []
    const reads = { all: 0, now: 0, atOnce: 0 }
    const query: Database['query'] = async (statement) => {
      if (!statement.text.includes('left join lateral')) return opened.db.query(statement)
      reads.all++
      reads.atOnce = Math.max(reads.atOnce, ++reads.now)
      try {
        return await opened.db.query(statement)
      } finally {
        reads.now--
      }
    }
    const feeds = openFeeds({ ...opened.db, query }, openMemoryBus(), (error) => faults.push(error))
    const heard = await Promise.all(
      Array.from({ length: subscriptions }, async (_, at) => {
        const [subscription, seqs] = aSubscription()
        await feeds.join(project, subscription, sinceOf(at))
        return seqs
      }),
    )
    feeds.close()
    expect(faults).toEqual([])
    return { heard, reads }
  }

  it('contract 9.4 hear everything once and in order, and share what they read', async () => {
    const { heard, reads } = await comeBack(() => 0)

    const all = Array.from({ length: changes }, (_, at) => at + 1)
    for (const seqs of heard) expect(seqs).toEqual(all)
    expect(reads.all).toBeLessThan(subscriptions)
  })

  it('contract 9.4 hear what each has missed, a few at a time', async () => {
    const { heard, reads } = await comeBack((subscription) => subscription)

    for (const [subscription, seqs] of heard.entries()) {
      expect(seqs).toEqual(Array.from({ length: changes - subscription }, (_, at) => subscription + at + 1))
    }
    expect(reads.all).toBeGreaterThan(subscriptions)
    // Two catch up, and one may be joining.
    expect(reads.atOnce).toBeLessThanOrEqual(3)
  })

  /** All of them wait for a turn, while the first reads are held; what was read, by project, is in order. */
  async function heldUp() {
    const order: string[] = []
    let release = () => {}
    const released = new Promise<void>((resolve) => (release = resolve))
    const query: Database['query'] = async (statement) => {
      if (!statement.text.includes('left join lateral')) return opened.db.query(statement)
      order.push(statement.values.includes(project) ? 'many' : 'other')
      await released
      return opened.db.query(statement)
    }
    const feeds = openFeeds({ ...opened.db, query }, openMemoryBus(), () => undefined)
    let begun = 0
    let isOver = false
    const join = async (of: string, since: number) => {
      const [subscription, seqs] = aSubscription()
      Object.assign(subscription, { begun: () => void begun++, isOver: () => isOver })
      await feeds.join(of, subscription, since)
      return seqs
    }
    const joining = Array.from({ length: subscriptions }, (_, at) => join(project, at))
    await vi.waitFor(() => expect([begun, order]).toEqual([subscriptions, ['many', 'many']]), patiently)
    const untilBegun = (all: number) => vi.waitFor(() => expect(begun).toBe(all), patiently)
    const leave = () => {
      isOver = true
    }
    return { order, joining, join, untilBegun, leave, release, feeds }
  }

  it('contract 9.4 take turns with those of another project', async () => {
    const other = newId(new Date())
    await insertProject(opened.db, { id: other, name: 'other', settings: defaultSettings }, [], at)
    const posts = { ...collection, id: newId(new Date()) }
    await insertCollection(opened.db, other, posts)
    await insertDocuments(opened.db, { project: other, collection: posts, at }, [
      { id: newId(new Date()), json: '{}' },
      { id: newId(new Date()), json: '{}' },
    ])
    const { order, joining, join, untilBegun, release, feeds } = await heldUp()

    const joined = join(other, 1)
    await untilBegun(subscriptions + 1)
    release()
    await Promise.all([...joining, joined])
    feeds.close()

    // Two of the many were at work, and one of them is next.
    expect(order.indexOf('other')).toBeGreaterThan(0)
    expect(order.indexOf('other')).toBeLessThanOrEqual(4)
    expect(order.length).toBeGreaterThan(subscriptions)
  })

  it('contract 9.4 are not read for once they have left', async () => {
    const { order, joining, leave, release, feeds } = await heldUp()

    leave()
    release()
    await Promise.all(joining)
    feeds.close()

    expect(order).toEqual(['many', 'many'])
  })

  it('contract 9.4 receive many changes at once without holding up everything else', async () => {
    const bus = openMemoryBus()
    const feeds = openFeeds(opened.db, bus, () => undefined)
    const all = Array.from({ length: subscriptions }, aSubscription)
    for (const [subscription] of all) await feeds.join(project, subscription, undefined)
    const received = () => all.reduce((sum, [, seqs]) => sum + seqs.length, 0)
    const [first] = all[0] ?? aSubscription()
    const { receive } = first
    let receivedMeanwhile = 0
    first.receive = (change, links) => {
      if (received() === 0) setImmediate(() => (receivedMeanwhile = received()))
      receive(change, links)
    }

    const documents = Array.from({ length: 200 }, () => ({ id: newId(new Date()), json: '{}' }))
    await insertDocuments(opened.db, { project, collection, at }, documents)
    bus.publish([{ kind: 'changes', project, seq: null }])

    await vi.waitFor(() => expect(received()).toBe(200 * subscriptions), patiently)
    expect(receivedMeanwhile).toBeGreaterThan(0)
    expect(receivedMeanwhile).toBeLessThan(200 * subscriptions)
    feeds.close()
  })
})

/** Data that take little space once they are compressed. */
const roomy = JSON.stringify({ text: 'x'.repeat(900_000) })

describe.each(engines)('Changes of large documents on %s', (engine) => {
  let opened: OpenedEngine
  beforeAll(async () => {
    opened = await openEngine(engine)
    await insertProject(opened.db, { id: project, name: 'test', settings: defaultSettings }, [], at)
    await insertCollection(opened.db, project, collection)
  })
  afterAll(() => opened.stop())

  it('contract 9.4 are read a few at a time, by what they take in memory', async () => {
    const all = 30
    for (let count = 0; count < all; count++) {
      const documents = [{ id: newId(new Date()), json: roomy }]
      await insertDocuments(opened.db, { project, collection, at }, documents)
    }

    let after = 0
    const reads: number[] = []
    for (let isAll = false; !isAll; ) {
      const read = await selectChanges(opened.db, { project, collections: [collection.id], after })
      reads.push(read.changes.length)
      after = read.changes.at(-1)?.seq ?? after
      isAll = read.isAll
    }

    expect(reads.reduce((sum, count) => sum + count, 0)).toBe(all)
    // Eight megabytes.
    for (const count of reads) expect(count).toBeLessThanOrEqual(9)
  })
})

/** A subscription with its own connection that accepts everything, and what it received. */
function aSubscription(): [Subscription, number[]] {
  const seqs: number[] = []
  const transport = openTransport({ isOpen: () => true, canWrite: () => true, drained: async () => undefined })
  const subscription: Subscription = {
    transport,
    caller: 'ada',
    collection: collection.id,
    position: 0,
    isOver: () => false,
    begun: () => undefined,
    missed: () => undefined,
    live: () => undefined,
    measureCost: () => 1,
    receive: ({ seq }) => void seqs.push(seq),
  }
  return [subscription, seqs]
}
