/** Two processes on one PostgreSQL: a subscriber of either receives what is written through both. */
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createClient } from '../../../client/index.js'
import { type Databases, openDatabases } from '../../fixtures/databases/shared-server.js'
import { type Dev, type Devs, openDevs } from '../../fixtures/dev.js'
import { aSubscriber, overEventStream, overWebSocket, type Target } from '../../fixtures/realtime/subscriber.js'

interface Post {
  readonly n: number
}

let server: Databases
let devs: Devs
let processes: readonly Dev[]

beforeAll(async () => {
  ;[server, devs] = await Promise.all([openDatabases(), openDevs()])
  const start = (name: string) => devs.start('--database-url', server.url, '--data', join(devs.folder, name))
  processes = [await start('one'), await start('other')]
})
afterAll(async () => {
  await devs.stop()
  await server.stop()
})

/** A collection, with two subscribers at each process. */
async function heardEverywhere(collection: string) {
  const [first] = processes
  await createClient(first as Dev).collections.create({ name: collection })
  const targets = processes.map(({ url, apiKey }): Target => ({ url, apiKey, collection }))
  return Promise.all(
    targets.flatMap((target) => [aSubscriber(overWebSocket, target), aSubscriber(overEventStream, target)]),
  )
}

/** Writes through both processes at once; the numbers that were acknowledged. */
async function writeThroughBoth(collection: string, writes: number, during: () => Promise<void> = async () => {}) {
  const acknowledged: number[] = []
  const writing = processes.flatMap((dev, at) =>
    Array.from({ length: 4 }, async (_, writer) => {
      const posts = createClient<Record<string, Post>>({ ...dev, retry: { attempts: 1 } }).collection(collection)
      for (let n = at * 4 + writer; n < writes; n += 8) {
        const isDone = await posts.create({ n }).then(
          () => true,
          () => false,
        )
        if (isDone) acknowledged.push(n)
      }
    }),
  )
  await Promise.all([...writing, during()])
  return acknowledged
}

it('contract 9.4 every subscriber receives everything once, in one order, through whichever process it was written', async () => {
  const all = await heardEverywhere('posts')

  const acknowledged = await writeThroughBoth('posts', 800)
  await Promise.all(all.map(({ untilHeard }) => untilHeard(800)))

  expect(acknowledged.length).toBe(800)
  const [first] = all
  const order = first?.heard.map(({ seq }) => seq) ?? []
  expect(order).toEqual([...new Set(order)].sort((one, other) => one - other))
  expect(new Set(first?.heard.map(({ document }) => document.data.n)).size).toBe(800)
  for (const { heard } of all) expect(heard.map(({ seq }) => seq)).toEqual(order)
  await Promise.all(all.map(({ stop }) => stop()))
})

it('contract 9.4 nothing is missed when the database cuts all connections', async () => {
  const all = await heardEverywhere('cut')

  const acknowledged = await writeThroughBoth('cut', 800, async () => {
    await all[0]?.untilHeard(100)
    await cutConnections()
  })
  const { total } = await createClient(processes[0] as Dev)
    .collection('cut')
    .list({ limit: 1 })
  await Promise.all(all.map(({ untilHeard }) => untilHeard(Number(total))))

  for (const { heard } of all) {
    const written = heard.map(({ document }) => Number(document.data.n))
    expect(written.length).toBe(total)
    expect(acknowledged.filter((n) => !written.includes(n))).toEqual([])
    expect(heard.map(({ seq }) => seq)).toEqual(all[0]?.heard.map(({ seq }) => seq))
  }
  await Promise.all(all.map(({ stop }) => stop()))
})

/** Terminates every session of the database but its own, those that listen among them. */
async function cutConnections(): Promise<void> {
  const client = new pg.Client({ connectionString: server.url })
  await client.connect()
  await client.query(
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
  )
  await client.end()
}
