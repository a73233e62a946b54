/** Databases with other collations, formats and isolation levels: the service behaves the same. Contract 10.13. */
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createClient } from '../../client/index.js'
import type { Json } from '../../client/protocol/model/json.js'
import { type Emulator, startEmulator } from '../../emulator/assembly/dev.js'
import { type PostgresServer, startPostgres } from '../fixtures/databases/postgres.js'
import { openAuthenticated } from '../fixtures/realtime/streams.js'

let server: PostgresServer
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.stop())

/** In the order of contract 4.1: null, then texts by code point, numbers, booleans, arrays and objects by size. */
const ordered: readonly Json[] = [
  null,
  '',
  '10',
  '9',
  'A',
  'B',
  'Z',
  '_',
  'a',
  'aa',
  'ab',
  'b',
  'd\'or \\ "x"',
  'z',
  'Ä',
  'é',
  'ﬀ',
  '\uffff',
  '🍵',
  -1e300,
  -2.5,
  0,
  1e-9,
  9,
  10,
  1e21,
  false,
  true,
  [],
  ['A'],
  ['a'],
  [1],
  [true],
  [['a']],
  ['A', 'b'],
  ['a', 'B'],
  {},
  { B: 1 },
  { a: 'Z' },
  { a: 'a' },
  { a: 1 },
  { a: 1, b: 2 },
]

/** Settings of a role or a database, each of which has broken something. */
const settings = [
  "datestyle to 'German, DMY'",
  "timezone to 'Asia/Kathmandu'",
  "intervalstyle to 'iso_8601'",
  'standard_conforming_strings to off',
  "default_transaction_isolation to 'serializable'",
  'default_transaction_read_only to on',
  'search_path to pg_catalog',
  "bytea_output to 'escape'",
  'extra_float_digits to -10',
  'lock_timeout to 1',
]

const collations = {
  'sorts as dictionaries do': "locale_provider icu icu_locale 'und'",
  'ignores case and reads digits as numbers': "locale_provider icu icu_locale 'und-u-ks-level2-kn'",
  'sorts as Danes do, "aa" last': "locale_provider icu icu_locale 'da'",
  'sorts by code point': "locale_provider builtin builtin_locale 'C.UTF-8'",
}

describe.each(Object.entries(collations))('A database that %s', (_, collation) => {
  let emulator: Emulator
  beforeAll(async () => {
    emulator = await startEmulator({ memory: true, databaseUrl: await aDatabase(collation) })
  })
  afterAll(() => emulator.close())

  it('contract 10.13 list order, comparisons and realtime agree, by code point', async () => {
    const svc = createClient(emulator)
    await svc.collections.create({ name: 'posts' })
    const posts = svc.collection('posts')
    const shuffled = ordered.map((v, at) => ({ v, key: (at * 17) % ordered.length })).sort((a, b) => a.key - b.key)

    const values = async (query: object) => (await posts.list({ limit: 100, ...query })).items.map(({ data }) => data.v)
    const subscribed = await openAuthenticated(emulator.url, emulator.apiKey, 'a')
    await subscribed.ask({ type: 'subscribe', collection: 'posts', filters: { v__gt: 'Z' } })
    await posts.createMany(shuffled.map(({ v }) => ({ v })))

    expect(await values({ sort: 'v' })).toEqual(ordered)
    expect(await values({ sort: '-v' })).toEqual([...ordered].reverse())
    const behind = ordered.filter((v) => typeof v === 'string' && ordered.indexOf(v) > ordered.indexOf('Z'))
    expect(await values({ sort: 'v', where: { v: { gt: 'Z' } } })).toEqual(behind)
    expect(await values({ sort: 'v', where: { v: { lte: 'Z' } } })).toEqual(ordered.slice(1, ordered.indexOf('_')))
    const above = await values({ sort: 'v', where: { v: { gt: -2.5 } } })
    expect(above.filter((v) => typeof v === 'number')).toEqual([0, 1e-9, 9, 10, 1e21])
    const received = (await subscribed.atLeast(2 + behind.length)).slice(2)
    expect(received.map(({ document }) => (document as { data: { v: string } }).data.v).sort()).toEqual(
      [...behind].sort(),
    )
    subscribed.close()
  })

  it('contract 10.13 times, quotes and writes at once are what they are everywhere', async () => {
    const svc = createClient<{ notes: { n: number; text: string } }>(emulator)
    await svc.collections.create({ name: 'notes' })
    const notes = svc.collection('notes')
    const before = Date.now()
    const text = 'it\'s \\ 100% "_"'

    const all = await Promise.all(Array.from({ length: 40 }, (_, n) => notes.create({ n, text })))
    const { id, createdAt } = all[0] ?? { id: '', createdAt: '' }
    await Promise.all(Array.from({ length: 20 }, (_, n) => notes.update(id, { n })))

    expect(createdAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    expect(Math.abs(Date.parse(createdAt) - before)).toBeLessThan(600_000)
    expect((await notes.list({ where: { createdAt }, limit: 100 })).items.map((one) => one.id)).toContain(id)
    expect((await notes.list({ where: { text: { startswith: "it's \\ 100%" } } })).total).toBe(40)
    expect((await notes.list({ where: { text: { endswith: '%  "_"'.replace('  ', ' ') } } })).total).toBe(40)
    expect((await notes.get(id)).version).toBe(21)
  })
})

it('contract 10.13 a dump of a database that sorts by code point, restored into one that does not, is listed by code point', async () => {
  const databaseUrl = await aDatabase(collations['sorts as dictionaries do'])
  const made = await startEmulator({ memory: true, databaseUrl })
  const before = createClient(made)
  await before.collections.create({ name: 'posts' })
  await before.collection('posts').createMany([{ v: 'a' }, { v: 'B' }, { v: 'Z' }, { v: '_' }])
  await made.close()
  // Content of a restored dump: the function of the other database, and an index in its order.
  await ask(databaseUrl, 'drop function svc.in_order(jsonb)')
  await ask(
    databaseUrl,
    'create function svc.in_order(value jsonb) returns jsonb language sql immutable parallel safe return value',
  )
  const name = `field_${'0'.repeat(40)}`
  await ask(databaseUrl, `create index ${name} on svc.documents (svc.in_order(data #> '{v}'))`)
  await ask(
    databaseUrl,
    `insert into svc.field_indexes (name, collection_id, path, kind, made_at, used_at)
    select '${name}', id, '["v"]', 'asc', now(), now() from svc.collections`,
  )

  const emulator = await startEmulator({ memory: true, databaseUrl })

  const { items } = await createClient(emulator).collection('posts').list({ sort: 'v' })
  expect(items.map(({ data }) => data.v)).toEqual(['B', 'Z', '_', 'a'])
  expect(await ask(databaseUrl, `select from pg_class where relname = '${name}'`)).toEqual([])
  await emulator.close()
})

/** The address of a database with this collation, whose role has all these settings. */
async function aDatabase(collation: string): Promise<string> {
  const url = new URL(server.url)
  const name = `foreign_${Math.random().toString(36).slice(2)}`
  await ask(server.url, `create database ${name} template template0 ${collation}`)
  for (const setting of settings) await ask(server.url, `alter database ${name} set ${setting}`)
  url.pathname = `/${name}`
  return url.href
}

async function ask(databaseUrl: string, statement: string): Promise<unknown[]> {
  // The database's own setting would make the session read-only.
  const client = new pg.Client({ connectionString: databaseUrl, options: '-c default_transaction_read_only=off' })
  await client.connect()
  const { rows } = await client.query(statement)
  await client.end()
  return rows
}
