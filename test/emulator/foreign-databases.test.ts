/** Databases of one's own that sort, write and isolate otherwise: the service behaves as it does everywhere. Contract 10.13. */
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createClient } from '../../client/index.js'
import type { Json } from '../../client/protocol/model/json.js'
import { type Emulator, startEmulator } from '../../emulator/dev.js'
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

/** What a role or a database may say, each of which has broken something. */
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
    const told = (await subscribed.atLeast(2 + behind.length)).slice(2)
    expect(told.map(({ document }) => (document as { data: { v: string } }).data.v).sort()).toEqual([...behind].sort())
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

/** An address of a database made that way, whose role has every other setting, too. */
async function aDatabase(collation: string): Promise<string> {
  const url = new URL(server.url)
  const name = `foreign_${Math.random().toString(36).slice(2)}`
  const client = new pg.Client({ connectionString: server.url })
  await client.connect()
  await client.query(`create database ${name} template template0 ${collation}`)
  for (const setting of settings) await client.query(`alter database ${name} set ${setting}`)
  await client.end()
  url.pathname = `/${name}`
  return url.href
}
