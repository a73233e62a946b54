/** A primary that dies, and the standby that takes its place. */
import { EventEmitter, once } from 'node:events'
import pg from 'pg'
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest'
import { type Database, type DatabaseError, sql } from '../../emulator/database/port.js'
import { addressesOf } from '../../emulator/database/postgres/addresses.js'
import { openPostgres } from '../../emulator/database/postgres/postgres.js'
import type { Message } from '../../emulator/ports/bus/port.js'
import { openPostgresBus } from '../../emulator/ports/bus/postgres-bus.js'
import { type PostgresServer, startPostgres } from '../fixtures/databases/postgres.js'
import { patiently } from '../fixtures/patience.js'
import { cuttingProxy } from '../fixtures/proxies/cutting-proxy.js'

let primary: PostgresServer
let standby: PostgresServer
beforeAll(async () => {
  primary = await startPostgres()
  standby = await primary.standby()
})
afterAll(async () => {
  await standby.stop()
  await primary.stop()
})

async function ask(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(statement).finally(() => client.end())
}

it.each([
  ['postgres://svc@one:1/db', ['postgres://svc@one:1/db']],
  ['postgresql://svc@one/db?sslmode=require', ['postgresql://svc@one/db?sslmode=require']],
  ['postgres://svc:p%40ss@one:1,other:2/db', ['postgres://svc:p%40ss@one:1/db', 'postgres://svc:p%40ss@other:2/db']],
  ['postgres://one,other/db?target_session_attrs=read-write', ['postgres://one/db', 'postgres://other/db']],
  ['postgres://[::1]:1,other/db?target_session_attrs=any&sslmode=x', [1, 2]],
])('the address %s names its hosts', (url, addresses) => {
  const found = addressesOf(url)

  if (typeof addresses[0] === 'number') expect(found).toHaveLength(addresses.length)
  else expect(found).toEqual(addresses)
})

it('what is not an address is not repeated', () => {
  for (const url of ['secret', 'mysql://svc:secret@one/db', 'postgres://svc:secret@one:x/db']) {
    expect(() => addressesOf(url)).toThrow(expect.objectContaining({ message: expect.not.stringContaining('secret') }))
  }
})

it('statements and messages go on at the standby that was promoted, whether hosts are named or an address leads elsewhere', async () => {
  const { port, pathname } = new URL(standby.url)
  const line = await cuttingProxy(primary.url.replace('postgres', 'http'))
  const address = primary.url.replace(/:\d+\//, `:${new URL(line.url).port}/`)
  const named = await openPostgres({ url: primary.url.replace(/\/svc_\d+$/, `,127.0.0.1:${port}${pathname}`) })
  const led = await openPostgres({ url: address })
  await named.query(sql`create table things (n integer)`)
  const bus = await openPostgresBus({ url: address, db: led, report: () => undefined })
  const received: Message[] = []
  const keep = (message: Message) => void received.push(message)
  bus.subscribe({ changes: keep, identity: keep, settings: keep })

  await named.query(sql`insert into things values (1)`)
  await vi.waitFor(() => ask(standby.url, 'select 1 / count(*) from things'), patiently)
  await primary.kill()
  const failed = await insert(named, 2)
  await ask(standby.url, 'select pg_promote(true)')
  line.cut()
  line.lead(standby.url.replace('postgres', 'http'))

  expect(failed).toMatchObject({ kind: 'unavailable' })
  for (const [db, n] of [
    [named, 3],
    [led, 4],
  ] as const) {
    await expect.poll(() => insert(db, n), patiently).toBeUndefined()
  }
  expect(await named.query(sql`select n from things order by n`)).toEqual([{ n: 1 }, { n: 3 }, { n: 4 }])
  received.length = 0
  await vi.waitFor(async () => {
    await ask(standby.url, `select pg_notify('svc_messages', 'other {"kind":"changes","project":"p","seq":1}')`)
    expect(received).toContainEqual({ kind: 'changes', project: 'p', seq: 1 })
  }, patiently)
  await bus.close()
  await Promise.all([named.close(), led.close(), line.close()])
})

it('what a server does not answer that is gone without a word is given up, and new connections are made', async () => {
  const line = await cuttingProxy(standby.url.replace('postgres', 'http'))
  const db = await openPostgres({
    url: standby.url.replace(/:\d+\//, `:${new URL(line.url).port}/`),
    mostConnections: 3,
  })
  onTestFinished(() => line.close())
  onTestFinished(() => void vi.useRealTimers())
  await db.query(sql`create table answers (n integer)`)
  // All connections that there may be are open.
  await Promise.all(Array.from({ length: 3 }, () => db.query(sql`select pg_sleep(0.2)`)))
  const steps = new EventEmitter()
  const begun = once(steps, 'begun')
  const transaction = db.transaction(async (tx) => {
    await tx.query(sql`insert into answers values (0)`)
    const gone = once(steps, 'gone')
    steps.emit('begun')
    await gone
    await tx.query(sql`insert into answers values (1)`)
  })
  await begun
  line.fallSilent()
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  steps.emit('gone')
  const waiting = [transaction, insert(db, 2), db.query(sql`select n from answers`)]
  const failed = Promise.all(waiting.map((one) => one.then(String, (error) => error.kind)))
  await new Promise(setImmediate)
  vi.advanceTimersByTime(30_000)
  vi.useRealTimers()

  expect(await failed).toEqual(['unavailable', expect.stringContaining('Query read timeout'), 'unavailable'])
  expect(await db.query(sql`select n from answers`)).toEqual([])
  await db.close()
})

/** Transactions on each of so many connections, and what ends them. */
async function holdAll(db: Database, count: number) {
  const steps = new EventEmitter()
  const ended = once(steps, 'end')
  let held = 0
  const holding = Array.from({ length: count }, () =>
    db.transaction(async (tx) => {
      await tx.query(sql`select 1`)
      if (++held === count) steps.emit('held')
      await ended
    }),
  )
  await once(steps, 'held')
  return { end: () => steps.emit('end'), holding: Promise.allSettled(holding) }
}

/** Asks twice, where no connection is free, until the first has waited for too long, and the second has not. */
async function waitTwice(db: Database) {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const asked: Promise<unknown>[] = []
  for (const milliseconds of [3_000, 2_000]) {
    asked.push(db.query(sql`select 1 as n`).catch(({ kind }: DatabaseError) => kind))
    await new Promise(setImmediate)
    vi.advanceTimersByTime(milliseconds)
  }
  return asked
}

it('a pool that is busy stays, however many hosts are named, and who waits is served', async () => {
  const db = await openPostgres({
    url: standby.url.replace(/(:\d+)\//, '$1,127.0.0.1:1/'),
    mostConnections: 2,
  })
  onTestFinished(() => void vi.useRealTimers())
  const { end, holding } = await holdAll(db, 2)
  const [first, second] = await waitTwice(db)
  expect(await first).toBe('unavailable')

  end()
  await holding
  vi.advanceTimersByTime(5_000)
  vi.useRealTimers()

  expect(await second).toEqual([{ n: 1 }])
  expect(await db.query(sql`select 1 as n`)).toEqual([{ n: 1 }])
  const sessions = sql`select from pg_stat_activity where application_name = 'svc' and datname = current_database()`
  expect(await db.query(sessions)).toHaveLength(2)
  expect(db.connections?.()).toMatchObject({ open: 2 })
  await db.close()
})

it('who waits for a server that is gone without a word is served by the one that takes its place', async () => {
  const [one, other] = await Promise.all([cuttingProxy(standby.url), cuttingProxy('http://127.0.0.1:1')])
  const hosts = [one, other].map(({ url }) => new URL(url).host).join()
  const db = await openPostgres({ url: standby.url.replace(/127.0.0.1:\d+/, hosts), mostConnections: 2 })
  onTestFinished(() => void vi.useRealTimers())
  const { end, holding } = await holdAll(db, 2)
  one.fallSilent()
  one.lead('http://127.0.0.1:1')
  other.lead(standby.url)

  const [first, second] = await waitTwice(db)

  expect(await first).toBe('unavailable')
  let answer: unknown
  void second?.then((value) => {
    answer = value
  })
  await expect.poll(() => answer, patiently).toEqual([{ n: 1 }])
  vi.useRealTimers()
  end()
  await Promise.all([one.close(), other.close(), holding])
  await db.close()
})

/** Its error, if it failed. */
async function insert(db: Database, n: number): Promise<unknown> {
  return db.query(sql`insert into things values (${n})`).then(
    () => undefined,
    (error) => error,
  )
}
