/** Connections break all the time: a subscriber that resumes after its last event misses none and gets none twice. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createClient } from '../../../client/index.js'
import { type Emulator, startEmulator } from '../../../emulator/assembly/dev.js'
import { type Databases, openDatabases } from '../../fixtures/databases/shared-server.js'
import { aSubscriber, overEventStream, overWebSocket } from '../../fixtures/realtime/subscriber.js'
import { isFull } from '../../fixtures/scope.js'

const [reconnects, writes] = isFull ? [1_000, 10_000] : [100, 1_000]
const subscribers = 10

let server: Databases
beforeAll(async () => {
  server = await openDatabases()
})
afterAll(() => server.stop())

describe.each(['PGlite', 'PostgreSQL'])('on %s', (engine) => {
  let emulator: Emulator
  beforeAll(async () => {
    const databaseUrl = engine === 'PostgreSQL' ? await server.newDatabase() : undefined
    emulator = await startEmulator({ memory: true, databaseUrl })
    await createClient(emulator).collections.create({ name: 'posts' })
  })
  afterAll(() => emulator.close())

  it(`contract 9.4 ${reconnects} reconnects during ${writes} writes cost nobody an event, and bring none twice`, async () => {
    const posts = createClient<{ posts: { n: number } }>(emulator).collection('posts')
    const target = { ...emulator, collection: 'posts' }
    const all = await Promise.all(
      Array.from({ length: subscribers }, (_, at) => aSubscriber(at % 2 ? overEventStream : overWebSocket, target)),
    )

    await Promise.all([
      ...Array.from({ length: 10 }, (_, writer) => write(writer)),
      ...all.map(async ({ reconnect }) => {
        for (let times = 0; times < reconnects / subscribers; times++) await reconnect()
      }),
    ])
    await Promise.all(all.map(({ untilHeard }) => untilHeard(writes)))

    const [first] = all
    const numbers = first?.heard.map(({ seq }) => seq) ?? []
    expect(numbers).toEqual([...new Set(numbers)].sort((one, other) => one - other))
    expect(new Set(first?.heard.map(({ document }) => document.data.n))).toEqual(
      new Set(Array.from({ length: writes }, (_, n) => n)),
    )
    for (const { heard } of all) expect(heard.map(({ seq }) => seq)).toEqual(numbers)
    for (const { heard } of all) expect(heard.at(-1)?.document).toEqual(first?.heard.at(-1)?.document)
    await Promise.all(all.map(({ stop }) => stop()))

    /** A tenth of the writes: singles and small batches, so that they interleave with the others'. */
    async function write(writer: number): Promise<void> {
      const [from, to] = [(writer * writes) / 10, ((writer + 1) * writes) / 10]
      for (let n = from; n < to; n += 5) {
        await posts.create({ n })
        await posts.createMany([{ n: n + 1 }, { n: n + 2 }, { n: n + 3 }, { n: n + 4 }])
      }
    }
  })
})
