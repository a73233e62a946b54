/** What one process says to the others over PostgreSQL, also after its connection broke. Contract 9.4. */
import pg from 'pg'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { type Database, sql } from '../emulator/database/database.js'
import { openPostgres } from '../emulator/database/postgres.js'
import { openPostgresBus } from '../emulator/realtime/postgres-bus.js'
import { type PostgresServer, startPostgres } from './fixtures/postgres.js'

let server: PostgresServer
let db: Database
beforeAll(async () => {
  server = await startPostgres()
  db = await openPostgres({ url: server.url })
})
afterAll(async () => {
  await db.close()
  await server.stop()
})

/** Runs a statement beside everybody else. */
async function ask<Row>(statement: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: server.url })
  await client.connect()
  const { rows } = await client.query(statement)
  await client.end()
  return rows
}

const listening = "select pid from pg_stat_activity where application_name = 'svc realtime'"

it('contract 9.4 a bus whose connection broke hears again of what others write', async () => {
  const open = () => openPostgresBus({ url: server.url, db, report: () => undefined })
  const [writer, reader] = [await open(), await open()]
  const heard: (string | undefined)[] = []
  reader.listen((project) => heard.push(project))
  const before = await ask<{ pid: number }>(listening)

  await ask(`select pg_terminate_backend(pid) from (${listening}) as others`)
  await vi.waitFor(
    async () => {
      const now = await ask<{ pid: number }>(listening)
      expect(now.filter(({ pid }) => !before.some((other) => other.pid === pid))).toHaveLength(2)
    },
    { timeout: 20_000 },
  )

  // Not by looking on its own: then it would not know whose changes these are. Both may still be about to listen.
  await vi.waitFor(
    () => {
      writer.wake('project')
      expect(heard).toContain('project')
    },
    { timeout: 20_000, interval: 50 },
  )
  await Promise.all([writer.close(), reader.close()])
})

it('contract 9.4 a bus that lost its connection says that anything may have been written meanwhile', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  const bus = await openPostgresBus({ url: server.url, db, report: () => undefined })
  vi.useRealTimers()
  const heard: (string | undefined)[] = []
  bus.listen((project) => heard.push(project))

  await ask(`select pg_terminate_backend(pid) from (${listening}) as others`)

  await vi.waitFor(() => expect(heard).toEqual([undefined]), { timeout: 20_000 })
  await bus.close()
})

it('contract 10.13 options in the address are taken, and change nothing that every session says for itself', async () => {
  const connecting = vi.spyOn(pg.Client.prototype, 'connect')
  const theirs = encodeURIComponent('-c work_mem=77MB -c search_path=public -c jit=on -c statement_timeout=1')
  const url = `${server.url}?options=${theirs}&statement_timeout=2&lock_timeout=3`

  const other = await openPostgres({ url, mostStatementMilliseconds: 41_000 })
  const bus = await openPostgresBus({ url, db: other, report: () => undefined })

  const names = ['work_mem', 'search_path', 'jit', 'timezone', 'statement_timeout', 'lock_timeout']
  const ask = (name: string) => other.query<{ is: string }>(sql`select current_setting(${name}) as is`)
  const settings = await Promise.all(names.map(async (name) => [name, (await ask(name))[0]?.is]))
  expect(Object.fromEntries(settings)).toEqual({
    work_mem: '77MB',
    search_path: 'svc,public',
    jit: 'off',
    timezone: 'UTC',
    statement_timeout: '41s',
    lock_timeout: '0',
  })
  const options = expect.stringMatching(/work_mem=77MB.*search_path=public.*search_path=svc,public/)
  const told = expect.objectContaining({ connectionParameters: expect.objectContaining({ options }) })
  for (const client of connecting.mock.contexts) expect(client).toEqual(told)
  connecting.mockRestore()
  await bus.close()
  await other.close()
})
