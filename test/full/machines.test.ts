/**
 * Two `svc serve` behind HAProxy, on a database behind HAProxy and a bucket, one of them through a pooler, while a process, the primary
 * and the bucket fail in turn: what was acknowledged is stored, and each subscriber receives each event once.
 */
import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createClient } from '../../client/index.js'
import { openPostgres } from '../../emulator/database/postgres/postgres.js'
import { type Balancer, type DatabaseBalancer, startBalancer, startDatabaseBalancer } from '../fixtures/balancer.js'
import { type Pooler, startPooler } from '../fixtures/databases/pooler.js'
import { freePort, type PostgresServer, startPostgres } from '../fixtures/databases/postgres.js'
import { byNumber, counted, type Entry, emptyLedger, listen, upload, write } from '../fixtures/ledger.js'
import { patiently } from '../fixtures/patience.js'
import { openServeWorld, type ServeWorld, type Serving } from '../fixtures/serve.js'

const writers = 6

let world: ServeWorld<PostgresServer>
let standby: PostgresServer
let database: DatabaseBalancer
let pooler: Pooler
let balancer: Balancer
let starts: readonly (() => Promise<Serving>)[]
let servings: Serving[]

beforeAll(async () => {
  const ports = [await freePort(), await freePort(), await freePort(), await freePort()]
  const [app = [], admin = []] = [ports.slice(0, 2), ports.slice(2)]
  balancer = await startBalancer({ app, admin, port: await freePort() })
  world = await openServeWorld(startPostgres)
  standby = await world.postgres.standby()
  await ask(world.postgres.url, "alter system set synchronous_standby_names = '*'")
  await ask(world.postgres.url, 'select pg_reload_conf()')
  database = await startDatabaseBalancer([world.postgres.url, standby.url])
  const direct = database.url(world.postgres.url)
  pooler = await startPooler({ url: direct }, { keepsPrepared: true, servers: 12 })
  const pooled = pooler.url(direct)
  await setAsTold(pooled, direct)
  const start = (at: number, ...flags: string[]) =>
    world.start('--port', String(app[at]), '--admin-port', String(admin[at]), ...flags)
  starts = [
    () => start(0, '--database-url', direct),
    () => start(1, '--database-url', pooled, '--database-listen-url', direct),
  ]
  servings = await Promise.all(starts.map((one) => one()))
})
afterAll(async () => {
  await balancer?.close()
  await pooler?.close()
  await database?.close()
  await standby?.stop()
  await world?.close()
})

async function setAsTold(url: string, directUrl: string): Promise<void> {
  const told = await openPostgres({ url, directUrl }).then(
    () => '',
    ({ hint }: { hint: string }) => hint,
  )
  await ask(world.postgres.url, told.slice(told.indexOf('alter role')))
  pooler.reconnect()
}

it('several machines lose nothing that was acknowledged, and nobody hears anything twice', {
  timeout: 900_000,
}, async () => {
  const { apiKey, secretKey } = (await servings[0]?.newProject()) ?? { apiKey: '', secretKey: '' }
  const owner = createClient<{ entries: Entry }>({ url: balancer.url, apiKey: secretKey, retry: { attempts: 10 } })
  await owner.collections.create({ name: 'entries' })
  const heard = (['ws', 'sse'] as const).flatMap((transport) =>
    [1, 2].map(() => listen({ url: balancer.url, apiKey, transport })),
  )
  const ledger = emptyLedger()
  const writing = [
    ...Array.from({ length: writers }, () => write(owner, ledger)),
    upload(createClient({ url: balancer.url, apiKey: secretKey, retry: { attempts: 1 } }), ledger),
  ]
  const goesOn = async (by = 150) => {
    const least = ledger.acknowledged.size + by
    await expect.poll(() => ledger.acknowledged.size, patiently).toBeGreaterThan(least)
  }

  await goesOn()
  servings[0]?.signal('SIGKILL')
  await goesOn()
  servings[0] = (await starts[0]?.()) as Serving
  await goesOn()
  await world.postgres.kill()
  await ask(standby.url, 'select pg_promote(true)')
  await database.switchOver()
  await goesOn()
  for (const { adminUrl } of servings) await expect.poll(() => statusOf(`${adminUrl}/readyz`), patiently).toBe(200)
  world.bucket.fail(true)
  const refused = ledger.refusedFiles
  await expect.poll(() => ledger.refusedFiles, patiently).toBeGreaterThan(refused)
  await goesOn()
  world.bucket.fail(false)
  const stored = ledger.files.size
  await expect.poll(() => ledger.files.size, patiently).toBeGreaterThan(stored + 3)
  ledger.isOver = true
  await Promise.all(writing)

  const found: number[] = []
  for await (const { data } of owner.collection('entries').iterate()) found.push(data.n)
  expect([...ledger.acknowledged].filter((n) => !found.includes(n))).toEqual([])
  expect(found.length).toBe(new Set(found).size)
  for (const one of heard) await expect.poll(() => one.changes.length, patiently).toBe(found.length)
  for (const { changes, stop } of heard) {
    const numbers = changes.map(({ seq }) => seq)
    expect(numbers).toEqual([...new Set(numbers)].sort((one, other) => one - other))
    expect(changes.map(({ document }) => document.data.n).sort(byNumber)).toEqual([...found].sort(byNumber))
    stop()
  }
  for (const [url, text] of ledger.files) expect(await (await fetch(url)).text()).toBe(text)
  expect((await owner.files.info()).files).toBe(ledger.files.size)
  console.log(
    `${ledger.acknowledged.size} documents and ${ledger.files.size} files acknowledged, of ${ledger.tried} documents tried; failures: ${JSON.stringify(counted(ledger.failures))}`,
  )
})

const statusOf = (url: string) => fetch(url).then(({ status }) => status)

async function ask(url: string, statements: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(statements).finally(() => client.end())
}
