import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openPglite } from '../../../emulator/database/pglite/pglite.js'
import { sql } from '../../../emulator/database/port.js'
import { checkpoint } from '../../../emulator/store/upkeep/tables.js'
import { openEngine } from '../../fixtures/databases/engines.js'

const megabyte = 1024 * 1024

it('the log of the embedded database is deleted once it is longer than it may be, and nothing is with it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-checkpoints-'))
  const dataDir = join(folder, 'data')
  let db = await openPglite({ dataDir })
  try {
    await db.query(sql`create table numbers (n int, text text)`)
    const isShort = await checkpoint(db, 64 * megabyte)
    await db.query(sql`insert into numbers select n, repeat('x', 1000) from generate_series(1, 100000) as n`)
    const before = await logBytes(dataDir)

    const isDone = await checkpoint(db, 64 * megabyte)

    expect([isShort, isDone]).toEqual([false, true])
    expect(before).toBeGreaterThan(96 * megabyte)
    // The segment that is written to, and the one before it.
    expect(await logBytes(dataDir)).toBeLessThanOrEqual(48 * megabyte)
    await db.close()
    db = await openPglite({ dataDir })
    expect(await db.query(sql`select count(*) as count from numbers`)).toEqual([{ count: 100_000 }])
  } finally {
    await db.close()
    await rm(folder, { recursive: true, force: true })
  }
})

it('a server is left to its own checkpoints', async () => {
  const { db, stop } = await openEngine('postgres')
  try {
    expect(await checkpoint(db, 0)).toBe(false)
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
