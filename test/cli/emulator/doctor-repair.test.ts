/** Damaged pages in the data of a folder: what can be rebuilt is, and what cannot is named. */
import { readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { openPglite } from '../../../emulator/database/pglite/pglite.js'
import { sql } from '../../../emulator/database/port.js'
import { openWorld, type World } from '../command-line.js'

let left: World
let world: World
/** The file of each table and index, in the folder for data. */
let paths: ReadonlyMap<string, string>

beforeAll(async () => {
  left = await openWorld()
  const dev = await left.dev()
  await left.svc(['collections', 'create', 'posts'])
  await left.svc(['docs', 'create', 'posts', 'title=kept'])
  await dev.stop()
  paths = await readRelationPaths(join(left.folder, '.svc', 'data'))
})
afterAll(() => left.close())
beforeEach(async () => {
  world = await openWorld()
  await world.useLeftFolder(left.folder)
})
afterEach(() => world.close())

const pageBytes = 8_192

/** Corrupts bytes of each of its pages, so that their checksums fail. */
const corrupt = (bytes: Buffer) => {
  for (let end = pageBytes; end <= bytes.length; end += pageBytes) bytes[end - 64] = ~(bytes[end - 64] ?? 0)
}

/** Zeroes in place of a page have no checksum. */
const zeroed = (block: number) => (bytes: Buffer) => void bytes.fill(0, block * pageBytes, (block + 1) * pageBytes)

async function readRelationPaths(dataDir: string) {
  const db = await openPglite({ dataDir })
  const rows = await db.query<{ name: string; path: string }>(
    sql`select nspname || '.' || relname as name, pg_relation_filepath(c.oid) as path
        from pg_class c join pg_namespace n on n.oid = relnamespace where relkind in ('r', 'i')`,
  )
  await db.close()
  return new Map(rows.map(({ name, path }) => [name, path]))
}

function damage(relation: string, change: (bytes: Buffer) => void = corrupt): string {
  const file = join(world.folder, '.svc', 'data', paths.get(relation) ?? '')
  const bytes = readFileSync(file)
  change(bytes)
  writeFileSync(file, bytes)
  return file
}

interface Report {
  readonly checks: readonly {
    readonly findings: readonly { code: string; message: string; remedy: string; repaired: string | null }[]
  }[]
}

async function doctor(...words: string[]) {
  const { stdout, exit } = await world.svc(['doctor', '--json', ...words])
  const findings = (JSON.parse(stdout) as Report).checks.flatMap((check) => check.findings)
  const of = (name: string) => findings.find(({ code }) => code === name)
  return { exit, found: of('DATA_DAMAGED'), codes: findings.map(({ code }) => code) }
}

const create = () => world.svc(['docs', 'create', 'posts', 'title=new'])
const copies = () => readdirSync(join(world.folder, '.svc')).filter((name) => name.startsWith('data.damaged-'))

test('an index that is damaged is rebuilt with --repair, from a table that is whole', async () => {
  damage('svc.documents_data')
  const dev = await world.dev()
  const refused = await create()
  const running = await doctor('--repair')
  await dev.stop()

  const found = await doctor()
  const repaired = await doctor('--repair')
  const after = await doctor()
  await world.dev()
  const created = await create()

  expect(refused.exit).toBe(1)
  expect(running).toMatchObject({
    exit: 10,
    found: { repaired: null, remedy: expect.stringMatching(/^Stop the emulator/) },
  })
  expect(found).toMatchObject({ exit: 10, found: { remedy: expect.stringMatching(/^Rebuild the indexes/) } })
  expect(repaired).toMatchObject({ exit: 0, found: { repaired: expect.stringContaining('rebuilt their indexes') } })
  expect(after).toMatchObject({ exit: 0, found: undefined })
  expect(created.exit).toBe(0)
  expect((await world.svc(['docs', 'count', 'posts'])).stdout.trim()).toBe('2')
  expect(copies()).toHaveLength(1)
  const named = new RegExp(`\\.svc/${copies()[0]} \\([\\d.]+ MB\\)`)
  expect(repaired.found?.repaired).toMatch(named)
})

test('a table that is damaged is named, with what can be done, and the indexes of the others are rebuilt', async () => {
  damage('svc.documents')
  damage('svc.users_email')
  const dev = await world.dev()
  await world.svc(['docs', 'list', 'posts'])
  await dev.stop()

  const repaired = await doctor('--repair')

  expect(repaired).toMatchObject({ exit: 10, found: { repaired: null, remedy: expect.stringContaining('--fresh') } })
  expect(repaired.found?.message).toMatch(
    /except those of these tables: svc\.documents \(invalid page in block 0 of [^)]*\)\. Copy of the former data/,
  )
  expect((await doctor()).found).toBeDefined()
})

test.each(['svc.projects_pkey', 'pg_catalog.pg_class_oid_index'])(
  'svc dev says that data are damaged which do not open for their index %s, and opens them once it is rebuilt',
  async (index) => {
    damage(index)

    const refused = await world.svc(['dev', '--port', '0', '--json'], { isRefused: true })
    const repaired = await doctor('--repair')
    await world.dev()

    expect(JSON.parse(refused.stdout)).toMatchObject({
      error: { code: 'DATA_DAMAGED', hint: expect.stringMatching(/^Rebuild the indexes: svc doctor --repair/) },
    })
    expect(repaired).toMatchObject({ exit: 0, found: { repaired: expect.any(String) } })
    expect((await world.svc(['docs', 'count', 'posts'])).stdout.trim()).toBe('1')
  },
)

test('svc dev names an index over all data of which a page is zeroes, before a request reads it for ever', async () => {
  damage('svc.documents_data', zeroed(1))

  const refused = await world.svc(['dev', '--port', '0', '--json'], { isRefused: true })
  const found = await doctor()
  const repaired = await doctor('--repair')
  await world.dev()
  const created = await create()

  expect(JSON.parse(refused.stdout)).toMatchObject({
    error: {
      code: 'DATA_DAMAGED',
      message: expect.stringContaining('index "svc.documents_data" contains unexpected zero page at block 1.'),
      hint: expect.stringMatching(/^Rebuild the indexes: svc doctor --repair/),
    },
  })
  expect(found).toMatchObject({ exit: 10, found: { message: expect.stringContaining('"svc.documents_data"') } })
  expect(repaired).toMatchObject({ exit: 0, found: { repaired: expect.stringContaining('rebuilt their indexes') } })
  expect(created.exit).toBe(0)
  expect((await world.svc(['docs', 'count', 'posts', '--where', 'title=kept'])).stdout.trim()).toBe('1')
})

test('svc dev names the newest snapshot beside damaged data, which it leaves as they are, and it loads into new data', async () => {
  const dev = await world.dev()
  await world.svc(['reset', '--yes'])
  await dev.stop()
  // Saved before it, while the clock was ahead.
  const earlier = join(world.folder, '.svc', 'snapshots', 'auto-2999-01-01-000000-0000.tar')
  writeFileSync(earlier, '')
  utimesSync(earlier, 0, 0)
  const file = damage('svc.documents_data', zeroed(0))
  const before = readFileSync(file)

  const refused = await world.svc(['dev', '--port', '0', '--json'], { isRefused: true })

  const { hint } = (JSON.parse(refused.stdout) as { error: { hint: string } }).error
  const [, snapshot = ''] = /svc snapshot import "(.+)" --name found && svc snapshot load found$/.exec(hint) ?? []
  expect(readFileSync(file).equals(before)).toBe(true)
  expect(copies()).toEqual([])
  expect(statSync(snapshot).mode & 0o077).toBe(0)
  await world.dev('--fresh')
  await world.svc(['snapshot', 'import', snapshot, '--name', 'found'])
  await world.svc(['snapshot', 'load', 'found', '--yes'])
  expect((await world.svc(['docs', 'count', 'posts', '--where', 'title=kept'])).stdout.trim()).toBe('1')
})
