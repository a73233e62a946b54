/** Several subscriptions of one connection: in which order they receive changes, and how they are resumed. Contract 9.4. */
import { expect } from 'vitest'
import { openAuthenticated, type Socket } from '../../fixtures/realtime/streams.js'
import { service } from '../../fixtures/service.js'
import { aWorld, inDialects, type Shelf, type Wire } from '../../fixtures/wires.js'

const writes = 600
const names = ['posts', 'notes'] as const

async function aLibrary(wire: Wire) {
  const { project, collection } = await aWorld(wire)
  const shelves = [await collection('posts'), await collection('notes')]
  return { shelves, open: () => openAuthenticated(service.url, project.apiKey, wire.name) }
}

/** By concurrent writers, in both collections. */
async function writeAll(shelves: readonly Shelf[]): Promise<void> {
  const writers = Array.from({ length: 20 }, async (_, writer) => {
    for (let n = 0; n < writes / 20; n++) await shelves[(writer + n) % 2]?.create({ n: writer * 1_000 + n })
  })
  await Promise.all(writers)
}

/** Numbers of the events that came, in their order. */
function seqsOf({ heard }: Pick<Socket, 'heard'>): number[] {
  return heard.flatMap(({ type, seq, event }) => (event !== undefined && type !== 'live' ? [Number(seq)] : []))
}

const ascending = (seqs: readonly number[]) => [...seqs].sort((one, other) => one - other)

inDialects('The order of events', (wire, { once }) => {
  once('contract 9.4 events keep commit order over all subscriptions of a connection', async () => {
    const { shelves, open } = await aLibrary(wire)
    const socket = await open()
    for (const collection of names) await socket.ask({ type: 'subscribe', collection })

    await writeAll(shelves)

    await expect.poll(() => seqsOf(socket).length).toBe(writes)
    expect(seqsOf(socket)).toEqual(ascending(seqsOf(socket)))
  })

  once('contract 9.4 the newest number of a connection resumes all of its subscriptions', async () => {
    const { shelves, open } = await aLibrary(wire)
    const first = await open()
    for (const collection of names) await first.ask({ type: 'subscribe', collection })

    const writing = writeAll(shelves)
    await expect.poll(() => seqsOf(first).length).toBeGreaterThan(50)
    first.close()
    await first.closed
    const newest = Math.max(...seqsOf(first))
    const second = await open()
    for (const collection of names) second.say({ type: 'subscribe', collection, since: newest })
    await writing

    const both = () => [...seqsOf(first), ...seqsOf(second)]
    await expect.poll(() => both().length).toBe(writes)
    expect(new Set(both()).size).toBe(writes)
    expect(Math.min(...seqsOf(second))).toBeGreaterThan(newest)
  })

  once('contract 9.4 a replay says when it is over, and what comes after that is in order', async () => {
    const { shelves, open } = await aLibrary(wire)
    await shelves[1]?.fill(Array.from({ length: 700 }, (_, n) => ({ n })))
    const socket = await open()
    await socket.ask({ type: 'subscribe', collection: 'posts' })

    const writing = writeAll(shelves)
    socket.say({ type: 'subscribe', collection: 'notes', since: 0 })
    await writing

    await expect.poll(() => seqsOf(socket).length).toBeGreaterThanOrEqual(700 + writes)
    const at = socket.heard.findIndex(({ type }) => type === 'live')
    const live = socket.heard[at]
    expect(live).toEqual({ type: 'live', collection: 'notes', seq: expect.any(Number) })
    const [before, behind] = [socket.heard.slice(0, at), socket.heard.slice(at)].map((heard) => seqsOf({ heard }))
    expect(Math.max(...(before ?? []))).toBeLessThanOrEqual(Number(live?.seq))
    expect(behind).toEqual(ascending(behind ?? []))
    expect(Math.min(...(behind ?? []), Number.POSITIVE_INFINITY)).toBeGreaterThan(Number(live?.seq))
    expect(new Set(seqsOf(socket)).size).toBe(700 + writes)
  })

  once('contract 9.2 a subscription that is replaced goes on in order, without being replayed', async () => {
    const { shelves, open } = await aLibrary(wire)
    const socket = await open()
    for (const collection of names) await socket.ask({ type: 'subscribe', collection })

    const writing = writeAll(shelves)
    for (let times = 0; times < 20; times++) {
      socket.say({ type: 'subscribe', collection: names[times % 2] })
      socket.say({ type: 'ping' })
      await expect.poll(() => socket.heard.filter(({ type }) => type === 'pong').length).toBe(times + 1)
    }
    await writing

    await expect.poll(() => seqsOf(socket).length).toBe(writes)
    expect(seqsOf(socket)).toEqual(ascending(seqsOf(socket)))
    expect(socket.heard.filter(({ type }) => type === 'live')).toEqual([])
  })
})
