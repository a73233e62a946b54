/** Migration of the data of an older version. */
import { readdirSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { migrate, NewerDatabaseError } from '../../../emulator/database/migrate.js'
import { openPglite } from '../../../emulator/database/pglite/pglite.js'
import { type Database, sql } from '../../../emulator/database/port.js'
import { openPostgres } from '../../../emulator/database/postgres/postgres.js'
import { migrations } from '../../../emulator/database/schema/migrations.js'
import { selectMails } from '../../../emulator/store/accounts/mails.js'
import { selectCollection } from '../../../emulator/store/collections.js'
import { selectDocument } from '../../../emulator/store/documents.js'
import { selectUsage } from '../../../emulator/store/files.js'
import { selectSnapshots, selectUndoable } from '../../../emulator/store/snapshots/registry.js'
import { openDatabases } from '../../fixtures/databases/shared-server.js'

it('migrations are numbered from 1 without gaps, as their files are', () => {
  const folder = new URL('../../../emulator/database/schema/', import.meta.url)
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((path) => basename(path))
    .filter((name) => /^\d{4}-/.test(name))

  const numbers = migrations.map(({ number }) => number)

  expect(numbers).toEqual(migrations.map((_, at) => at + 1))
  expect(files.sort().map((name) => Number(name.slice(0, 4)))).toEqual(numbers)
})

describe('An embedded database', () => {
  let db: Database
  beforeAll(async () => {
    db = await openPglite()
  })
  beforeEach(() => db.query(sql`drop schema if exists svc cascade`))
  afterAll(() => db.close())

  /** The tables as they were at that version. */
  async function migrateTo(version: number): Promise<void> {
    await db.query(sql`create schema if not exists svc`)
    await db.query(sql`create extension if not exists pg_trgm`)
    await db.query(
      sql`create table svc.migrations (number integer primary key, name text not null, made_at timestamptz)`,
    )
    for (const { number, name, statements } of migrations.filter(({ number }) => number <= version)) {
      for (const statement of statements) await db.query(statement)
      await db.query(sql`insert into svc.migrations (number, name) values (${number}::int, ${name})`)
    }
  }

  it('contract 6.2 roles in the data from before they were kept apart are trusted once the owner writes them again', async () => {
    await migrateTo(6)
    const id = '01900000-0000-7000-8000-000000000000'
    await db.query(sql`insert into projects (id, name, settings, created_at)
      values ('dev', 'dev', '{"trustDataRole": true}'::jsonb, now())`)
    await db.query(sql`insert into users (id, project_id, email, email_key, data, roles, email_verified, created_at, updated_at)
      values (${id}, 'dev', 'ada@example.com', 'ada@example.com', '{"role": "admin"}'::jsonb, '[]'::jsonb, true, now(), now())`)

    await migrate(db)

    expect(await db.query(sql`select data ->> 'role' as role, trusted_role from users`)).toEqual([
      { role: 'admin', trusted_role: null },
    ])
  })

  it('schemas from before their order was kept are the same text, so that undo recognises their rows', async () => {
    await migrateTo(22)
    const id = '01900000-0000-7000-8000-000000000001'
    const schema = { title: { type: 'string', required: true }, n: { type: 'number', default: 1.5 } }
    await db.query(sql`insert into projects (id, name, settings, created_at) values ('dev', 'dev', '{}'::jsonb, now())`)
    await db.query(sql`insert into collections (id, project_id, name, schema, permissions, created_at, updated_at)
      values (${id}, 'dev', 'posts', ${JSON.stringify(schema)}::jsonb, '{}'::jsonb, now(), now())`)
    const textOf = () => db.query(sql`select t::text as text from collections t`)
    const before = await textOf()

    await migrate(db)

    expect(await textOf()).toEqual(before)
    expect(await selectCollection(db, 'dev', 'posts')).toMatchObject({ schema })
  })

  it.each([23, 24])('of version %i has its snapshots and mails in the order in which they came', async (version) => {
    await migrateTo(23)
    await db.query(sql`insert into projects (id, name, settings, created_at) values ('dev', 'dev', '{}'::jsonb, now())`)
    for (let n = 1; n <= 12; n++) await insertSnapshotAndMail(n, 23)
    await db.query(sql`delete from snapshots where id <= ${idOf(6)}`)
    await db.query(sql`delete from mails where id <= ${idOf(6)}`)
    // Those that follow take the room of those that were deleted, before the others.
    await db.query(sql`vacuum snapshots, mails`)
    for (let n = 13; n <= 15; n++) await insertSnapshotAndMail(n, 23)
    const [last] = migrations.filter(({ number }) => number === 24)
    if (version === 24) for (const statement of last?.statements ?? []) await db.query(statement)
    if (version === 24) await db.query(sql`insert into svc.migrations (number, name) values (24, '')`)
    // The clock was moved back before it was saved.
    if (version === 24) await insertSnapshotAndMail(1, 24)

    await migrate(db)
    await insertSnapshotAndMail(50, migrations.length)

    const kept = [15, 14, 13, 12, 11, 10, 9, 8, 7]
    const named = (numbers: readonly number[]) => numbers.map(String)
    const snapshots = await selectSnapshots(db, 'dev')
    expect(snapshots.map(({ name }) => name)).toEqual(named([50, ...(version === 24 ? [1] : []), ...kept]))
    expect(await selectUndoable(db, 'dev', undefined)).toMatchObject({ name: '50' })
    const mails = await selectMails(db, { project: 'dev', limit: 100 })
    expect(mails.map(({ subject }) => subject)).toEqual(named([50, ...kept, ...(version === 24 ? [1] : [])]))
  })

  const idOf = (n: number) => `01900000-0000-7000-8000-${String(n).padStart(12, '0')}`

  async function insertSnapshotAndMail(n: number, schemaNumber: number): Promise<void> {
    const at = new Date(Date.UTC(2026, 0, 1, 0, n)).toISOString()
    await db.query(sql`insert into snapshots (id, project_id, name, command, made_at, schema_number, collections, documents,
        users, files, file_bytes, bytes)
      values (${idOf(n)}, 'dev', ${String(n)}, 'svc seed', ${at}, ${schemaNumber}::int, 0, 0, 0, 0, 0, 0)`)
    await db.query(sql`insert into mails (id, project_id, recipient, subject, text_body, html_body, raw, created_at)
      values (${idOf(n)}, 'dev', 'ada@example.com', ${String(n)}, '', '', '', ${at})`)
  }

  it('of version 9 opens with everything that is in it', async () => {
    for (const text of statementsOf('version-9.sql')) await db.query({ text, values: [] })

    await migrate(db)

    const collection = { id: '01900000-0000-7000-8000-000000000001', name: 'posts' }
    const document = await selectDocument(db, collection, '01900000-0000-7000-8000-000000000002')
    expect(document).toMatchObject({ data: { text: '{"title": "Tea"}' }, version: 1 })
    expect(await selectUsage(db, 'dev')).toEqual({ files: 1, bytes: 5 })
  })

  it('that was brought up to version 9 has the same tables, indexes and functions as one that was made at it', async () => {
    await migrate(db)
    const made = await catalogOf(db)
    await db.query(sql`drop schema svc cascade`)
    for (const text of statementsOf('version-9.sql')) await db.query({ text, values: [] })

    await migrate(db)

    expect(await catalogOf(db)).toEqual(made)
  })

  it('of a newer version is refused in words that say both versions, and nothing in it is changed', async () => {
    await migrate(db)
    await db.query(sql`insert into svc.migrations (number, name) values (999, 'from the future')`)
    const before = await catalogOf(db)

    const failure = await migrate(db).catch((error: unknown) => error)

    expect(failure).toBeInstanceOf(NewerDatabaseError)
    expect(String(failure)).toContain(`is at version 999; this svc knows versions up to ${migrations.length}.`)
    expect(await catalogOf(db)).toEqual(before)
  })

  it('keeps nothing of a migration that fails', async () => {
    await migrateTo(8)
    // The migration after it begins by creating this function.
    await db.query(sql`create function svc.in_order(value jsonb) returns jsonb language sql return value`)
    const before = await catalogOf(db)

    await expect(migrate(db)).rejects.toMatchObject({ sqlState: '42723' })

    expect(await catalogOf(db)).toEqual(before)
    expect(await db.query(sql`select max(number) as newest from svc.migrations`)).toEqual([{ newest: 8 }])
  })
})

it('two processes that start at once on one PostgreSQL apply each migration once', async () => {
  const server = await openDatabases()
  const processes = await Promise.all([openPostgres({ url: server.url }), openPostgres({ url: server.url })])

  await Promise.all(processes.map((db) => migrate(db)))

  const [first] = processes
  expect(await first?.query(sql`select number from svc.migrations order by number`)).toEqual(
    migrations.map(({ number }) => ({ number })),
  )
  await Promise.all(processes.map((db) => db.close()))
  await server.stop()
})

it('a migration may take longer than a statement of a request', async () => {
  const server = await openDatabases()
  const db = await openPostgres({ url: server.url, mostStatementMilliseconds: 2_000 })
  await db.query(sql`
    create function slow() returns event_trigger language plpgsql as $$ begin perform pg_sleep(3); end $$`)
  await db.query(sql`
    create event trigger slow on ddl_command_start when tag in ('CREATE VIEW') execute function slow()`)

  await migrate(db)

  expect(await db.query(sql`select max(number) as newest from svc.migrations`)).toEqual([{ newest: migrations.length }])
  await db.close()
  await server.stop()
})

function statementsOf(fixture: string): string[] {
  const text = readFileSync(new URL(`../../fixtures/databases/${fixture}`, import.meta.url), 'utf8')
  return text.split(/\n{2,}/).filter((statement) => !/^(--.*\n?)*$/.test(statement))
}

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
