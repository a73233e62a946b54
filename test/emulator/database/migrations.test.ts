/** Migration of the data of an older version. */
import { readdirSync } from 'node:fs'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { migrate, NewerDatabaseError, newestMigration } from '../../../emulator/database/migrate.js'
import { migrations } from '../../../emulator/database/migrations/migrations.js'
import { openPglite } from '../../../emulator/database/pglite/pglite.js'
import { type Database, sql } from '../../../emulator/database/port.js'
import { openPostgres } from '../../../emulator/database/postgres/postgres.js'
import { openDatabases } from '../../fixtures/databases/shared-server.js'

/** The migrations there are, and one more. */
const known = [
  ...migrations,
  {
    number: newestMigration + 1,
    name: 'words of documents',
    statements: [
      sql`alter table documents add column words text not null default 'none'`,
      sql`create index documents_by_words on documents (collection_id, words)`,
    ],
  },
]

it('migrations are numbered from 100 without gaps, as their files are', () => {
  const folder = new URL('../../../emulator/database/migrations/', import.meta.url)
  const files = readdirSync(folder).filter((name) => /^\d{4}-/.test(name))

  const numbers = migrations.map(({ number }) => number)

  expect(numbers).toEqual(migrations.map((_, at) => 100 + at))
  expect(files.sort().map((name) => Number(name.slice(0, 4)))).toEqual(numbers)
})

describe('An embedded database', () => {
  let db: Database
  beforeAll(async () => {
    db = await openPglite()
  })
  beforeEach(() => db.query(sql`drop schema if exists svc cascade`))
  afterAll(() => db.close())

  const newest = async () =>
    (await db.query<{ newest: number }>(sql`select max(number) as newest from svc.migrations`))[0]?.newest

  it('of the version before keeps its rows, and has what the migration adds', async () => {
    await migrate(db)
    const id = '01900000-0000-7000-8000-000000000001'
    await db.query(sql`insert into documents (id, collection_id, data, created_at, updated_at)
      values (${id}, ${id}, '{"title": "Tea"}'::jsonb, now(), now())`)

    await migrate(db, { migrations: known })

    expect(await db.query(sql`select data ->> 'title' as title, words from documents`)).toEqual([
      { title: 'Tea', words: 'none' },
    ])
    expect(await newest()).toBe(newestMigration + 1)
  })

  it.each([1, 28, 99])(
    'of version %i is refused in words that name the version which reads it, and nothing in it is changed',
    async (version) => {
      await migrate(db)
      await db.query(sql`delete from svc.migrations where number > 100`)
      await db.query(sql`update svc.migrations set number = ${version}::int`)
      const before = await catalogOf(db)

      const refused = migrate(db, { migrations: known })

      await expect(refused).rejects.toMatchObject({
        code: 'DATA_OLDER',
        message: `The database is at version ${version}; svc-toolkit 0.1.0 is the last version that reads it.`,
      })
      expect(await catalogOf(db)).toEqual(before)
      expect(await newest()).toBe(version)
    },
  )

  it('of a newer version is refused in words that say both versions, and nothing in it is changed', async () => {
    await migrate(db)
    await db.query(sql`insert into svc.migrations (number, name) values (999, 'from the future')`)
    const before = await catalogOf(db)

    const failure = await migrate(db).catch((error: unknown) => error)

    expect(failure).toBeInstanceOf(NewerDatabaseError)
    expect(String(failure)).toContain(`is at version 999; this svc supports versions up to ${newestMigration}.`)
    expect(await catalogOf(db)).toEqual(before)
  })

  it('keeps nothing of a migration that fails', async () => {
    await migrate(db)
    // The second statement of the migration creates this index.
    await db.query(sql`create index documents_by_words on documents (version)`)
    const before = await catalogOf(db)

    await expect(migrate(db, { migrations: known })).rejects.toMatchObject({ sqlState: '42P07' })

    expect(await catalogOf(db)).toEqual(before)
    expect(await newest()).toBe(newestMigration)
  })
})

it('two processes that start at once on one PostgreSQL apply each migration once', async () => {
  const server = await openDatabases()
  const processes = await Promise.all([openPostgres({ url: server.url }), openPostgres({ url: server.url })])

  await Promise.all(processes.map((db) => migrate(db, { migrations: known })))

  const [first] = processes
  expect(await first?.query(sql`select number from svc.migrations order by number`)).toEqual(
    known.map(({ number }) => ({ number })),
  )
  await Promise.all(processes.map((db) => db.close()))
  await server.stop()
})

it('a migration may take longer than a statement of a request', async () => {
  const server = await openDatabases()
  const db = await openPostgres({ url: server.url, maxStatementMilliseconds: 2_000 })
  await db.query(sql`
    create function slow() returns event_trigger language plpgsql as $$ begin perform pg_sleep(3); end $$`)
  await db.query(sql`
    create event trigger slow on ddl_command_start when tag in ('CREATE VIEW') execute function slow()`)

  await migrate(db)

  expect(await db.query(sql`select max(number) as newest from svc.migrations`)).toEqual([{ newest: newestMigration }])
  await db.close()
  await server.stop()
})

/** Columns, indexes, constraints, functions, triggers and views of the schema, from the database's own catalogs. */
async function catalogOf(db: Database): Promise<string[]> {
  const rows = await db.query<{ said: string }>(sql`
    select format('%s.%s %s %s %s %s', c.relname, a.attname, a.attnum, format_type(a.atttypid, a.atttypmod), a.attnotnull,
        pg_get_expr(d.adbin, d.adrelid)) as said
      from pg_class c
      join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
      where c.relnamespace = 'svc'::regnamespace and c.relkind in ('r', 'v')
    union all select pg_get_indexdef(i.indexrelid) from pg_index i
      join pg_class c on c.oid = i.indexrelid where c.relnamespace = 'svc'::regnamespace
    union all select format('%s %s', conname, pg_get_constraintdef(oid)) from pg_constraint
      where connamespace = 'svc'::regnamespace
    union all select regexp_replace(pg_get_functiondef(oid), '[[:space:]]+', ' ', 'g') from pg_proc where pronamespace = 'svc'::regnamespace
    union all select pg_get_triggerdef(t.oid) from pg_trigger t
      join pg_class c on c.oid = t.tgrelid where c.relnamespace = 'svc'::regnamespace and not t.tgisinternal
    union all select format('%s %s', relname, pg_get_viewdef(oid)) from pg_class
      where relnamespace = 'svc'::regnamespace and relkind = 'v'
    order by said`)
  return rows.map(({ said }) => said)
}
