/** Tests how an engine handles a broken thread, connection or folder. */
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createClient } from '../../client/index.js'
import { startEmulator } from '../../emulator/assembly/dev.js'
import { asSvcError } from '../../emulator/core/failures.js'
import { openPglite } from '../../emulator/database/pglite/pglite.js'
import { readTemplate, unpackTemplate } from '../../emulator/database/pglite/template.js'
import { type Database, type DatabaseError, sql } from '../../emulator/database/port.js'
import { openPostgres } from '../../emulator/database/postgres/postgres.js'
import { type Databases, openDatabases } from '../fixtures/databases/shared-server.js'
import { patiently } from '../fixtures/patience.js'
import { type CuttingProxy, cuttingProxy } from '../fixtures/proxies/cutting-proxy.js'
import { startEndingProxy } from '../fixtures/proxies/ending-proxy.js'

/** It reads no file of the folder, so it hangs whatever happens to those. */
const endless = sql`do $$ begin loop end loop; end $$`

describe('PGlite', () => {
  let folder: string
  let db: Database
  const reported: unknown[] = []

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-faults-'))
    const dataDir = join(folder, 'data')
    await unpackTemplate(dataDir)
    reported.length = 0
    db = await openPglite({ dataDir, maxStatementMilliseconds: 3_000, report: (error) => reported.push(error) })
    await db.query(sql`create table svc.things (id text primary key)`)
  })
  afterEach(async () => {
    await db.close()
    await rm(folder, { recursive: true, force: true })
  })

  it('is opened once more by the next request when it could not be opened again', async () => {
    await db.query(sql`insert into svc.things (id) values ('kept')`)
    const [control, away] = [join(folder, 'data', 'global', 'pg_control'), join(folder, 'away')]
    const hung = db.query(endless).catch((error: DatabaseError) => error.sqlState)
    // No running database reads it; none starts without it.
    await rename(control, away)
    await writeFile(control, 'garbage')
    const waiting = db.query(sql`select 1 as one`).catch((error: unknown) => asSvcError(error)?.code)

    expect([await hung, await waiting]).toEqual(['57014', 'UNAVAILABLE'])
    expect(reported).toHaveLength(1)
    await rename(away, control)

    expect(await db.query(sql`select id from svc.things`)).toEqual([{ id: 'kept' }])
  })

  it('says that an index is damaged in which a statement went round for ever, once that was stopped', async () => {
    await db.query(sql`create index things_words on svc.things using gin (string_to_array(id, ' '))`)
    await db.query(sql`checkpoint`)
    const [row] = await db.query<{ path: string }>(sql`select pg_relation_filepath('svc.things_words') as path`)
    await writeFile(join(folder, 'data', row?.path ?? ''), Buffer.alloc(2 * 8_192))

    const hung = db.query(endless).catch((error: DatabaseError) => error.sqlState)

    expect(await hung).toBe('57014')
    expect(await db.query(sql`select 1 as one`)).toEqual([{ one: 1 }])
    expect(reported).toEqual([
      expect.objectContaining({
        kind: 'damaged',
        message: 'index "svc.things_words" contains unexpected zero page at block 0',
      }),
    ])
  })

  it('goes on after its thread has died, and reports why', async () => {
    const { postMessage } = Worker.prototype
    const killing = vi.spyOn(Worker.prototype, 'postMessage').mockImplementation(function (this: Worker, ...message) {
      postMessage.apply(this, message as never)
      killing.mockRestore()
      void this.terminate()
    })

    await db.query(sql`insert into svc.things (id) values ('perhaps')`).catch((error) => {
      expect(asSvcError(error)).toMatchObject({
        code: 'UNAVAILABLE',
        message: expect.stringContaining('may or may not'),
      })
    })
    // The thread may have answered before it died. What is sent to it until its death is noticed is refused, too.
    await vi.waitUntil(() => reported.length > 0, patiently)

    expect(await db.query(sql`select 1 as one`)).toEqual([{ one: 1 }])
    expect(reported).toEqual([expect.objectContaining({ message: expect.stringContaining('thread of the database') })])
  })

  it('in memory answers what was done before a statement that hangs, which loses nobody’s data', async () => {
    const memory = await openPglite({ template: readTemplate, maxStatementMilliseconds: 200 })
    await memory.query(sql`create table things (id text)`)
    const insert = sql`insert into things (id) values ('done')`
    // It cannot be stopped, so the last query waits for its end: some seconds of processor, a minute beside others.
    const long = sql`select count(*)::int as n from generate_series(1, 4000000)`

    const ends = await Promise.allSettled([memory.query(insert), memory.query(long)])

    expect(ends).toMatchObject([{ status: 'fulfilled' }, { status: 'rejected', reason: { sqlState: '57014' } }])
    expect(await memory.query(sql`select id from things`)).toEqual([{ id: 'done' }])
    await memory.close()
  })
})

describe('PostgreSQL', () => {
  let server: Databases
  let db: Database

  beforeEach(async () => {
    server = await openDatabases()
    db = await openPostgres({ url: server.url })
    await db.query(sql`create table things (id text primary key, n integer)`)
    await db.query(sql`insert into things (id, n) values ('a', 0), ('b', 0)`)
  })
  afterEach(async () => {
    await db.close()
    await server.stop()
  })

  const addTo = (id: string) => sql`update things set n = n + 1 where id = ${id}`

  it('repeats a transaction that was rolled back to end a deadlock', async () => {
    let tries = 0
    let met = () => {}
    const bothHaveOne = new Promise<void>((resolve) => {
      met = resolve
    })
    const crossed = (first: string, second: string) =>
      db.transaction(async (tx) => {
        await tx.query(addTo(first))
        if (++tries === 2) met()
        await bothHaveOne
        await tx.query(addTo(second))
      })

    await Promise.all([crossed('a', 'b'), crossed('b', 'a')])

    expect(tries).toBe(3)
    expect(await db.query(sql`select n from things order by id`)).toEqual([{ n: 2 }, { n: 2 }])
  })

  it.each([
    ['a single statement', (one: Database) => one.query(addTo('a'))],
    ['a batch', (one: Database) => one.batch([addTo('a'), addTo('b')])],
  ])('repeats %s that was rolled back to end a deadlock', async (_, work) => {
    // The server fails twice, whichever statement is first.
    await db.query(sql`create sequence fails`)
    await db.query(sql`
      create function deadlock() returns trigger language plpgsql as $$
      begin
        if nextval('fails') <= 2 then raise exception 'deadlock detected' using errcode = '40P01'; end if;
        return new;
      end $$`)
    await db.query(sql`create trigger deadlocks before update on things for each row execute function deadlock()`)

    await work(db)

    expect(await db.query(sql`select n from things where id = 'a'`)).toEqual([{ n: 1 }])
  })

  it('goes on where a connection ends in the moment that it is handed out', async () => {
    const proxy = await startEndingProxy(server.url)
    onTestFinished(proxy.close)
    const through = await openPostgres({ url: server.url.replace(/:\d+\//, `:${proxy.port}/`) })
    // It keeps the connections that are open, so that the next statement opens another.
    const asleep = through.query(sql`select pg_sleep(1)::text`)
    proxy.endNext()

    const failure = await through.query(sql`select 1 as one`).catch((error: unknown) => error)

    expect(failure).toMatchObject({ kind: 'unavailable' })
    expect(await through.query(sql`select 1 as one`)).toEqual([{ one: 1 }])
    await asleep
    await through.close()
  })

  describe('over a line that can be cut', () => {
    let line: CuttingProxy
    let through: Database
    beforeEach(async () => {
      line = await cuttingProxy(server.url)
      through = await openPostgres({ url: server.url.replace(/:\d+\//, `:${new URL(line.url).port}/`) })
      await db.query(sql`
        create function ends() returns trigger language plpgsql as $$
        begin perform pg_sleep(60); return null; end $$`)
    })
    afterEach(async () => {
      await through.close()
      await line.close()
    })

    /** Cuts it while the server is at work on that, which sleeps. */
    async function failureOf(work: Promise<unknown>): Promise<unknown> {
      const failure = work.catch((error: unknown) => error)
      const asleep = sql`
        select 1 as one from pg_stat_activity where wait_event = 'PgSleep' and datname = current_database()`
      await vi.waitUntil(async () => (await db.query(asleep)).length > 0, patiently)
      line.cut()
      return failure
    }

    it('reports the outcome of a commit whose connection broke as unknown', async () => {
      await db.query(sql`
        create constraint trigger ends after update on things deferrable initially deferred
        for each row execute function ends()`)

      const failure = await failureOf(through.transaction((tx) => tx.query(addTo('a'))))

      expect(failure).toMatchObject({ sqlState: '08007' })
      expect(asSvcError(failure)).toMatchObject({
        code: 'UNAVAILABLE',
        message: expect.stringContaining('may or may not'),
      })
    })

    it('reports the same of a single statement that writes, which commits itself', async () => {
      await db.query(sql`create trigger ends after update on things for each row execute function ends()`)

      const failure = await failureOf(through.query(addTo('a')))

      expect(failure).toMatchObject({ sqlState: '08007', kind: 'unknown outcome' })
      expect(asSvcError(failure)).toMatchObject({
        code: 'UNAVAILABLE',
        message: expect.stringContaining('may or may not'),
      })
    })

    it('reports a single statement that reads, or that was never sent, as not done', async () => {
      const read = await failureOf(through.query(sql`select pg_sleep(60)::text`))
      await line.close()
      const unsent = await through.query(addTo('a')).catch((error: unknown) => error)

      expect([read, unsent]).toMatchObject([{ kind: 'unavailable' }, { kind: 'unavailable' }])
      expect(await db.query(sql`select n from things where id = 'a'`)).toEqual([{ n: 0 }])
    })

    // A create has an idempotency key, so the client may repeat it: a change has none.
    it('a client does not repeat a change whose outcome is unknown, and is told to look', async () => {
      const url = server.url.replace(/:\d+\//, `:${new URL(line.url).port}/`)
      const service = await startEmulator({ memory: true, databaseUrl: url, databaseListenUrl: server.url })
      const { url: at, apiKey } = service
      await createClient({ url: at, apiKey: service.secretKey }).collections.create({ name: 'posts' })
      const sent: string[] = []
      const posts = createClient({ url: at, apiKey, onRequest: ({ method }) => sent.push(method) }).collection('posts')
      const { id } = await posts.create({ title: 'Hello' })
      await db.query(sql`create trigger ends after update on svc.documents for each row execute function ends()`)

      const failure = await failureOf(posts.update(id, { title: 'Changed' }))

      await service.close()
      expect(failure).toMatchObject({
        code: 'UNAVAILABLE',
        message: expect.stringContaining('Check before you try again'),
      })
      expect(sent.filter((method) => method === 'PATCH')).toHaveLength(1)
    })
  })
})
