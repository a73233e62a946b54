/** The same database through a pooler in transaction mode, which runs each transaction on another connection. */
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sql } from '../../emulator/database/port.js'
import { openPostgres } from '../../emulator/database/postgres/postgres.js'
import { type Pooler, startPooler } from '../fixtures/databases/pooler.js'
import { type PostgresServer, startPostgres } from '../fixtures/databases/postgres.js'
import { databaseCases } from './database.cases.js'

let server: PostgresServer
let pooler: Pooler
let forgetful: Pooler
beforeAll(async () => {
  server = await startPostgres()
  pooler = await startPooler(server, { keepsPrepared: true })
  forgetful = await startPooler(server, { keepsPrepared: false })
})
afterAll(async () => {
  await Promise.all([pooler.close(), forgetful.close()])
  await server.stop()
})

async function ask(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(statement)
  await client.end()
}

/** Sets the settings that a start reports as missing. */
async function openAsTold(through: Pooler, settings: object = {}) {
  const options = { url: through.url(server.url), directUrl: server.url, ...settings }
  const told = await openPostgres(options).then(
    () => '',
    ({ hint }: { hint: string }) => hint,
  )
  await ask(server.url, told.slice(told.indexOf('alter role')))
  through.reconnect()
  return openPostgres(options)
}

databaseCases('PostgreSQL behind a pooler', (options) => openAsTold(pooler, options))

describe('a pooler in front of PostgreSQL', () => {
  it('runs transactions on fewer connections than there are clients', () => {
    expect(pooler.figures.transactions).toBeGreaterThan(100)
    expect(pooler.figures.servers).toBeLessThanOrEqual(3)
  })

  it('is refused without the address of the server behind it', async () => {
    await expect(openPostgres({ url: pooler.url(server.url) })).rejects.toMatchObject({
      code: 'DATABASE_POOLED',
      hint: expect.stringContaining('--database-listen-url'),
    })
  })

  it('is refused while the role does not set what sessions need, with the statements that do', async () => {
    await ask(server.url, 'alter role svc in database svc_1 reset search_path')
    const opening = openPostgres({ url: forgetful.url(server.url), directUrl: server.url })

    await expect(opening).rejects.toMatchObject({
      code: 'DATABASE_SETTINGS',
      hint: expect.stringContaining('alter role "svc" in database "svc_1" set search_path = svc,public;'),
    })
  })

  it('is refused while a role that acts as another has none of its settings, by its own name', async () => {
    await ask(server.url, 'create role svc_2 login in role svc')
    await ask(server.url, 'alter role svc_2 set role to svc')
    const other = await startPooler(server, { keepsPrepared: true })
    const own = (url: string) => url.replace('svc@', 'svc_2@')
    const opening = openPostgres({ url: own(other.url(server.url)), directUrl: own(server.url) })

    await expect(opening).rejects.toMatchObject({
      hint: expect.stringContaining('alter role "svc_2" in database "svc_1" set search_path = svc,public;'),
    })
    await other.close()
  })

  it('may lose prepared statements: the database goes on without', async () => {
    const db = await openAsTold(forgetful)

    for (let round = 0; round < 12; round++) {
      expect(await db.query(sql`select ${round}::int as n`)).toEqual([{ n: round }])
      expect(await db.transaction((tx) => tx.query(sql`select ${round}::int + 1 as n`))).toEqual([{ n: round + 1 }])
    }
    await db.close()
  })
})
