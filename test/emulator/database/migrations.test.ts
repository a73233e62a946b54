/** What becomes of the data of an older version. */
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openPglite } from '../../../emulator/database/pglite/pglite.js'
import { type Database, sql } from '../../../emulator/database/port.js'
import { migrate, migrations } from '../../../emulator/database/schema/migrations.js'

let db: Database
beforeEach(async () => {
  db = await openPglite()
})
afterEach(() => db.close())

/** The tables as they were at that version. */
async function migrateTo(version: number): Promise<void> {
  await db.query(sql`create schema if not exists svc`)
  await db.query(sql`create extension if not exists pg_trgm`)
  await db.query(sql`create table svc.migrations (number integer primary key, name text not null, made_at timestamptz)`)
  for (const { number, name, statements } of migrations.filter(({ number }) => number <= version)) {
    for (const statement of statements) await db.query(statement)
    await db.query(sql`insert into svc.migrations (number, name) values (${number}::int, ${name})`)
  }
}

it('contract 6.2 roles in the data from before they were told apart are trusted once the owner writes them again', async () => {
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
