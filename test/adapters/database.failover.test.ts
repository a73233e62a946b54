/** A primary that dies, and the standby that takes its place. */
import { EventEmitter, once } from 'node:events'
import pg from 'pg'
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest'
import { type Database, type DatabaseError, sql } from '../../emulator/database/port.js'
import { openPostgres } from '../../emulator/database/postgres/postgres.js'
import { openServer } from '../../emulator/database/postgres/server-address.js'
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

it.each(['secret', 'mysql://svc:secret@one/db', 'postgres://svc:secret@one:x/db', 'postgres://svc:secret@one,two/db'])(
  'refuses the address %s without repeating it',
  (address) => {
    expect(() => openServer(address)).toThrow(
      expect.objectContaining({ code: 'DATABASE_UNREACHABLE', message: expect.not.stringContaining('secret') }),
    )
  },
)

/** An address that may lead to another server later, as HAProxy's or a provider's does. */
async function movableAddress({ url }: PostgresServer) {
  const line = await cuttingProxy(url)
  onTestFinished(() => line.close())
  return { line, url: url.replace(/:\d+\//, `:${new URL(line.url).port}/`) }
}

it('connections that lead to a standby are given up with its first refusal, though it goes on answering', async () => {
  const { line, url } = await movableAddress(standby)
  const db = await openPostgres({ url, maxConnections: 3 })
  // All connections that there may be are open.
  await Promise.all(Array.from({ length: 3 }, () => db.query(sql`select pg_sleep(0.2)`)))
  await ask(primary.url, 'create table refused (n integer)')
  // The standby refuses a table that it has not received yet with another error.
  await vi.waitFor(() => ask(standby.url, 'select * from refused'), patiently)
  line.lead(primary.url)

  const refused = await db.query(sql`insert into refused values (0)`).catch(({ kind }: DatabaseError) => kind)
  await Promise.all(Array.from({ length: 10 }, (_, n) => db.query(sql`insert into refused values (${n + 1})`)))
  await db.transaction((tx) => tx.query(sql`insert into refused values (11)`))

  expect(refused).toBe('unavailable')
  expect(await db.query(sql`select count(*) as count from refused`)).toEqual([{ count: 11 }])
  await db.close()
})

it('statements and messages go on at the standby that was promoted, where the address leads to it', async () => {
  const { line, url } = await movableAddress(primary)
  const db = await openPostgres({ url })
  await db.query(sql`create table things (n integer)`)
  const bus = await openPostgresBus({ url, db, report: () => undefined })
  const received: Message[] = []
  const keep = (message: Message) => void received.push(message)
  bus.subscribe({ changes: keep, identity: keep, settings: keep })

  await db.query(sql`insert into things values (1)`)
  await vi.waitFor(() => ask(standby.url, 'select 1 / count(*) from things'), patiently)
  await primary.kill()
  const failed = await insert(db, 2)
  await ask(standby.url, 'select pg_promote(true)')
  line.cut()
  line.lead(standby.url)

  expect(failed).toMatchObject({ kind: 'unavailable' })
  await expect.poll(() => insert(db, 3), patiently).toBeUndefined()
  expect(await db.query(sql`select n from things order by n`)).toEqual([{ n: 1 }, { n: 3 }])
  received.length = 0
  await vi.waitFor(async () => {
    await ask(standby.url, `select pg_notify('svc_messages', 'other {"kind":"changes","project":"p","seq":1}')`)
    expect(received).toContainEqual({ kind: 'changes', project: 'p', seq: 1 })
  }, patiently)
  await bus.close()
  await db.close()
})

it('what a server does not answer that is gone without a word is given up, and new connections are made', async () => {
  const { line, url } = await movableAddress(standby)
  const db = await openPostgres({ url, maxConnections: 3 })
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

/** Its error, if it failed. */
async function insert(db: Database, n: number): Promise<unknown> {
  return db.query(sql`insert into things values (${n})`).then(
    () => undefined,
    (error) => error,
  )
}
