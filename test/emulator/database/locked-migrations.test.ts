/** A migration that needs a table which is locked: requests do not queue behind it for long, and it names the blocking session. */
import pg from 'pg'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { type MigrateOptions, migrate, newestMigration } from '../../../emulator/database/migrate.js'
import { migrations } from '../../../emulator/database/migrations/migrations.js'
import { type Database, sql } from '../../../emulator/database/port.js'
import { openPostgres } from '../../../emulator/database/postgres/postgres.js'
import { type Databases, openDatabases } from '../../fixtures/databases/shared-server.js'
import { patiently } from '../../fixtures/patience.js'

/** One more migration, which takes a lock as those do that rewrite a table. */
const rewriting = {
  number: newestMigration + 1,
  name: 'a rewritten table',
  statements: [sql`lock table documents in access exclusive mode`],
}

const migrateAgain = (options: MigrateOptions) =>
  migrate(db, {
    ...{ migrations: [...migrations, rewriting], tryMilliseconds: 2_000, pauseMilliseconds: 100 },
    ...options,
  })

let server: Databases
let db: Database
/** A session that reads a table in a transaction which it leaves open. */
let holder: pg.Client
beforeEach(async () => {
  server = await openDatabases()
  db = await openPostgres({ url: server.url })
  await migrate(db)
  holder = new pg.Client({ connectionString: server.url, application_name: 'a long report' })
  await holder.connect()
  await holder.query('begin')
  await holder.query('select count(*) from svc.documents')
})
afterEach(async () => {
  await holder.end()
  await db.close()
  await server.stop()
})

const newest = async () =>
  (await db.query<{ newest: number }>(sql`select max(number) as newest from svc.migrations`))[0]?.newest

it('is tried again until the table is free, and requests are served in between', async () => {
  const said: string[] = []
  const migrating = migrateAgain({ maxMilliseconds: 3_600_000, warn: (words) => void said.push(words) })
  await vi.waitFor(() => expect(said).toHaveLength(1), patiently)

  // Each would wait for as long as the report is open, were the migration to wait in front of it.
  for (let at = 0; at < 20; at++) await db.query(sql`select count(*)::int as n from svc.documents`)
  await vi.waitFor(() => expect(said.length).toBeGreaterThan(1), patiently)
  await holder.query('commit')
  await migrating

  expect(said[0]).toMatch(
    /^Migration \d+ \(.+\) waits for a table that is in use by process \d+ of the database \("a long report", as \w+, idle in transaction, for \d+ s\)\. /,
  )
  expect(await newest()).toBe(rewriting.number)
})

it('is given up after a while, which says who is in the way and changes nothing', async () => {
  const { rows } = await holder.query('select pg_backend_pid() as pid')

  const refused = migrateAgain({ maxMilliseconds: 0 })

  await expect(refused).rejects.toMatchObject({
    code: 'DATABASE_LOCKED',
    message: expect.stringContaining(`process ${rows[0].pid} of the database`),
    hint: expect.stringContaining('pg_terminate_backend'),
  })
  expect(await newest()).toBe(newestMigration)
})
