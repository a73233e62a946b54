import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Database, sql } from '../../port.js'
import { openPglite } from '../pglite.js'
import { unpackTemplate } from '../template.js'
import { checkGinIndexes } from './gin-check.js'
import { pageBytes, readLinks } from './gin-page.js'

let folder: string
let dataDir: string
let db: Database
let path: string

/**
 * Fills more entry pages than one root holds, a value with so many rows that it has a posting tree, and pending rows.
 */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-gin-'))
  dataDir = join(folder, 'data')
  await unpackTemplate(dataDir)
  db = await openPglite({ dataDir })
  // Removed because it would be read first.
  await db.query(sql`drop index svc.documents_data`)
  await db.query(sql`create table svc.kept (words text[])`)
  await db.query(sql`insert into kept select array['each'] from generate_series(1, 30000)`)
  await db.query(sql`insert into kept select array[repeat(md5(n::text), 20)] from generate_series(1, 60) as n`)
  await db.query(sql`create index kept_words on kept using gin (words)`)
  await db.query(sql`insert into kept select array['waits' || n] from generate_series(1, 2000) as n`)
  await db.query(sql`select gin_clean_pending_list('kept_words')`)
  await db.query(sql`insert into kept select array['waits' || n] from generate_series(1, 1000) as n`)
  await db.query(sql`checkpoint`)
  const [row] = await db.query<{ path: string }>(sql`select pg_relation_filepath('kept_words') as path`)
  path = join(dataDir, row?.path ?? '')
})
afterAll(async () => {
  await db.close()
  rmSync(folder, { recursive: true })
})

/** Zeroes the page at that block, checks, and restores the file. */
async function checkWithout(bytes: Buffer, block: number, maxBytes?: number): Promise<string | undefined> {
  const damaged = Buffer.from(bytes)
  damaged.fill(0, block * pageBytes, (block + 1) * pageBytes)
  writeFileSync(path, damaged)
  const damage = await checkGinIndexes(db.query, dataDir, maxBytes)
  writeFileSync(path, bytes)
  return damage?.message
}

const flagsAt = (bytes: Buffer, block: number) => bytes.readUInt16LE((block + 1) * pageBytes - 2)

test('reports every zero page that another page links to, and no unused one', async () => {
  const bytes = readFileSync(path)
  const blocks = Array.from({ length: bytes.length / pageBytes }, (_, block) => block)
  const isInUse = (block: number) => (flagsAt(bytes, block) & 4) === 0

  const messages = []
  for (const block of blocks) messages.push(await checkWithout(bytes, block))

  // Meta page, inner and leaf pages of the entries and of a posting tree, pending pages, and deleted pending pages.
  const kinds = new Set(blocks.map((block) => flagsAt(bytes, block) & 0x1f))
  expect([...kinds].toSorted((one, other) => one - other)).toEqual([0, 1, 2, 3, 4, 8, 16])
  expect(messages).toEqual(
    blocks.map((block) =>
      isInUse(block) ? `index "svc.kept_words" contains unexpected zero page at block ${block}` : undefined,
    ),
  )
})

test('accepts pages that were added and never used', async () => {
  const bytes = readFileSync(path)
  appendFileSync(path, Buffer.alloc(2 * pageBytes))

  const damage = await checkGinIndexes(db.query, dataDir)

  writeFileSync(path, bytes)
  expect(damage).toBeUndefined()
})

test('reads at most the given number of bytes', async () => {
  const bytes = readFileSync(path)
  const last = bytes.length / pageBytes - 1

  expect(await checkWithout(bytes, last, last * pageBytes)).toBeUndefined()
  expect(await checkWithout(bytes, last, bytes.length)).toContain(`at block ${last}`)
})

test('reads a page with any contents without an error', () => {
  const page = Buffer.alloc(pageBytes, 0xff)
  for (const flags of [0, 1, 2, 3, 8, 16]) {
    page.writeUInt16LE(flags, pageBytes - 2)

    expect(readLinks(page)).toEqual(expect.any(Array))
  }
})
