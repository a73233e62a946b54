import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openCheckpointRound } from '../../../emulator/background/checkpoints.js'
import { openPglite } from '../../../emulator/database/pglite/pglite.js'
import { readTemplate, unpackTemplate } from '../../../emulator/database/pglite/template.js'
import { sql } from '../../../emulator/database/port.js'
import { patientSql, tidyTables } from '../../../emulator/store/upkeep/tables.js'
import { openEngine } from '../../fixtures/databases/engines.js'

const megabyte = 1024 * 1024

it('the log of the embedded database is deleted once it is longer than it may be, and nothing is with it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-checkpoints-'))
  const dataDir = join(folder, 'data')
  await unpackTemplate(dataDir)
  let db = await openPglite({ dataDir })
  try {
    await db.query(sql`create table numbers (n int, text text)`)
    const round = openCheckpointRound(db)
    const isShort = await round()
    await db.query(patientSql(`insert into numbers select n, repeat('x', 1900) from generate_series(1, 53000) as n`))
    const before = await logBytes(dataDir)

    const isDone = await round()

    expect([isShort, isDone]).toEqual([false, true])
    expect(before).toBeGreaterThan(96 * megabyte)
    // The segment that is written to, and the one before it.
    expect(await logBytes(dataDir)).toBeLessThanOrEqual(48 * megabyte)
    await db.close()
    db = await openPglite({ dataDir })
    expect(await db.query(sql`select count(*) as count from numbers`)).toEqual([{ count: 53_000 }])
  } finally {
    await db.close()
    await rm(folder, { recursive: true, force: true })
  }
})

it('a log of 10 MB is deleted once nothing more is written', async () => {
  const db = await openPglite({ template: readTemplate })
  try {
    await db.query(sql`create table numbers (n int, text text)`)
    const round = openCheckpointRound(db)
    await round()
    await db.query(patientSql(`insert into numbers select n, repeat('x', 1900) from generate_series(1, 6300) as n`))

    expect([await round(), await round(), await round()]).toEqual([false, true, false])
  } finally {
    await db.close()
  }
})

it('a table that lost most of its rows gives its space back, and keeps those that are left', async () => {
  const db = await openPglite({ template: readTemplate })
  const bytes = async () =>
    (await db.query<{ bytes: number }>(sql`select pg_total_relation_size('svc.documents') as bytes`))[0]?.bytes
  try {
    await db.query(
      patientSql(`insert into documents (id, collection_id, data, created_at, updated_at)
        select gen_random_uuid(), gen_random_uuid(), jsonb_build_object('n', n, 'text', repeat('x', 1800)), now(), now()
        from generate_series(1, 12000) as n`),
    )
    const mostRows = new Map<string, number>()
    await tidyTables(db, mostRows)
    const before = await bytes()
    await db.query(sql`delete from documents where (data -> 'n')::int <= 11985`)
    // Statistics are written at most once a second, and a round comes each minute.
    await db.query(sql`select pg_stat_force_next_flush()`)

    await tidyTables(db, mostRows)

    expect(before).toBeGreaterThan(16 * megabyte)
    expect(await bytes()).toBeLessThan(megabyte)
    expect(await db.query(sql`select count(*) as count from documents`)).toEqual([{ count: 15 }])
  } finally {
    await db.close()
  }
})

it('a server is left to its own checkpoints', async () => {
  const { db, stop } = await openEngine('postgres')
  try {
    const round = openCheckpointRound(db)
    expect([await round(), await round()]).toEqual([false, false])
  } finally {
    await stop()
  }
})

async function logBytes(dataDir: string): Promise<number> {
  const folder = join(dataDir, 'pg_wal')
  const files = (await readdir(folder)).filter((name) => /^[0-9A-F]{24}$/.test(name))
  const sizes = await Promise.all(files.map(async (name) => (await stat(join(folder, name))).size))
  return sizes.reduce((sum, size) => sum + size, 0)
}
