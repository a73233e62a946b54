import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { openUpserts } from '../../../cli/imports/upsert.js'
import { createClient } from '../../../client/index.js'
import type { JsonObject } from '../../../client/protocol/model/json.js'
import type { ReadRow } from '../../../seeds/records/record.js'
import { patiently } from '../../fixtures/patience.js'
import { openWorld, type SharedProject, type World } from '../command-line.js'

let world: World
let project: SharedProject

beforeAll(async () => {
  world = await openWorld()
  project = await world.useEmulator()
})
afterAll(() => world.close())

const file = (name: string, content: string) => writeFileSync(join(world.folder, name), content)

async function exported(collection: string): Promise<unknown[]> {
  const { stdout } = await world.svc(['docs', 'export', collection])
  return stdout.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]))
}

function rowsOf(documents: readonly JsonObject[]): ReadRow[] {
  return documents.map((fields, at) => {
    return { fields, number: at + 1, line: at + 1, bytes: 30, endByte: 30 * (at + 1) }
  })
}

test('with --upsert --by a row changes the document that has its value, and creates it where there is none', async () => {
  file('first.ndjson', '{"email":"ada@example.com","name":"Ada"}\n{"email":"bob@example.com","name":"Bob"}')
  file('second.ndjson', '{"email":"ada@example.com","age":36}\n{"email":"cyd@example.com","name":"Cyd"}')

  await world.svc(['docs', 'import', 'people', 'first.ndjson', '--create'])
  await world.svc(['docs', 'import', 'people', 'second.ndjson', '--upsert', '--by', 'email'])
  await world.svc(['docs', 'import', 'people', 'second.ndjson', '--upsert', '--by', 'email'])

  expect(await exported('people')).toEqual([
    { email: 'ada@example.com', name: 'Ada', age: 36 },
    { email: 'bob@example.com', name: 'Bob' },
    { email: 'cyd@example.com', name: 'Cyd' },
  ])
})

test('with --upsert --by id, documents that were deleted are created with new ids, which it says', async () => {
  file('ids.ndjson', '{"name":"Ada"}\n{"name":"Bob"}\n{"name":"Cyd"}')
  await world.svc(['docs', 'import', 'exported', 'ids.ndjson', '--create'])
  await world.svc(['docs', 'export', 'exported', '--with-ids', '--out', 'exported.ndjson'])
  const words = ['docs', 'import', 'exported', 'exported.ndjson', '--upsert', '--by', 'id', '--restart']

  const nothingGone = await world.svc(words)
  const [first, second] = readFileSync(join(world.folder, 'exported.ndjson'), 'utf8')
    .split('\n')
    .flatMap((line) => (line === '' ? [] : [(JSON.parse(line) as { id: string }).id]))
  await world.svc(['docs', 'delete', 'exported', first ?? '', second ?? '', '--yes'])
  const twoGone = await world.svc(words)
  await world.svc(['docs', 'delete', 'exported', '--all', '--yes'])
  const report = (await world.json(words)) as { accepted: number; newIds: number }

  expect(nothingGone.stderr).not.toContain('not there')
  expect(twoGone).toMatchObject({
    exit: 0,
    stderr: expect.stringContaining('2 documents had ids that do not exist; they were created with new ids'),
  })
  expect(report).toMatchObject({ accepted: 3, newIds: 3 })
})

test('contract 10.7 with --upsert, values that grow as they are encoded are looked for a query at a time', async () => {
  const rows = Array.from({ length: 90 }, (_, at) => JSON.stringify({ title: `${at},${'ü'.repeat(50)}` }))
  file('encoded.ndjson', rows.join('\n'))
  const words = ['docs', 'import', 'encoded', 'encoded.ndjson', '--create', '--upsert', '--by', 'title']

  const first = await world.svc(words)
  const again = await world.svc(words)

  expect([first.exit, again.exit]).toEqual([0, 0])
  expect(await world.json(['docs', 'count', 'encoded'])).toEqual({ count: 90 })
})

test('with --upsert, a chunk that is sent again after a crash changes its rows and creates none again', async () => {
  await world.svc(['collections', 'create', 'repeated'])
  const collection = createClient({ url: project.url, apiKey: project.apiKey }).collection('repeated')
  const documents: JsonObject[] = [{ email: 'ada@example.com' }, { name: 'Nobody' }]

  for (const _ of ['before the crash', 'after it']) {
    const rows = rowsOf(documents)
    await openUpserts(collection, 'email')(rows)(rows, 'import-of-repeated')
  }

  expect(await exported('repeated')).toEqual(documents)
})

test('with --upsert, what is looked up before the chunk before it has created it is changed, and not created again', async () => {
  await world.svc(['collections', 'create', 'ahead'])
  const collection = createClient({ url: project.url, apiKey: project.apiKey }).collection('ahead')
  await collection.create({ email: 'bob@example.com', name: 'Bob' })
  let looked = 0
  const watched: typeof collection = {
    ...collection,
    async *iterate(options) {
      yield* collection.iterate(options)
      looked += 1
    },
  }
  const open = openUpserts(watched, 'email')
  const first = rowsOf([
    { email: 'ada@example.com', name: 'Ada' },
    { email: 'bob@example.com', age: 40 },
    { name: 'Nobody' },
  ])
  const second = rowsOf([
    { email: 'ada@example.com', age: 36 },
    { email: 'bob@example.com', age: 41 },
  ])
  const third = rowsOf([
    { email: 'ada@example.com', age: 37 },
    { email: 'cyd@example.com', name: 'Cyd' },
  ])

  const opened = [first, second, third].map((rows) => ({ rows, send: open(rows) }))
  await vi.waitUntil(() => looked === 3, patiently)
  for (const [at, { rows, send }] of opened.entries()) await send(rows, `import-of-ahead-${at}`)

  expect(await exported('ahead')).toEqual([
    { email: 'bob@example.com', name: 'Bob', age: 41 },
    { email: 'ada@example.com', name: 'Ada', age: 37 },
    { name: 'Nobody' },
    { email: 'cyd@example.com', name: 'Cyd' },
  ])
})

test('with --upsert, rows of one value in several requests of a file make one document, of which the last has its say', async () => {
  const rows = Array.from({ length: 3_500 }, (_, at) => ({
    key: `k${at % 1_400}`,
    [`of${Math.floor(at / 1_400)}`]: true,
    at,
  }))
  file('often.ndjson', rows.map((row) => JSON.stringify(row)).join('\n'))
  const words = ['docs', 'import', 'often', 'often.ndjson', '--create', '--upsert', '--by', 'key']

  const first = await world.svc(words)
  const again = await world.svc(words)

  expect([first.exit, again.exit]).toEqual([0, 0])
  const documents = (await exported('often')) as { key: string; at: number }[]
  const last = (at: number) => (at < 700 ? at + 2_800 : at + 1_400)
  const inOrder = documents.sort((one, other) => one.at - other.at)
  expect(inOrder.map(({ key, at }) => [key, at])).toEqual(
    Array.from({ length: 1_400 }, (_, at) => [`k${at}`, last(at)]).sort(
      ([, one], [, other]) => Number(one) - Number(other),
    ),
  )
  expect(documents.filter((document) => 'of0' in document && 'of1' in document)).toHaveLength(1_400)
})

test('with --upsert, each value is asked for once, a page that holds all of them', async () => {
  await world.svc(['collections', 'create', 'asked'])
  const collection = createClient({ url: project.url, apiKey: project.apiKey }).collection('asked')
  await collection.createMany(Array.from({ length: 198 }, (_, at) => ({ key: `k${at}` })))
  file('asked.ndjson', Array.from({ length: 198 }, (_, at) => JSON.stringify({ key: `k${at}`, at })).join('\n'))

  await world.svc(['docs', 'import', 'asked', 'asked.ndjson', '--upsert', '--by', 'key'])

  const lists = await world.json(['requests', 'list', '--route', 'documents.list', '--path', '/collections/asked'])
  expect(lists).toHaveLength(2)
})

test('the older --upsert --key email is read as --by email, and says so; an API key stays one', async () => {
  file('older.ndjson', '{"email":"ada@example.com","name":"Ada"}')
  file('newer.ndjson', '{"email":"ada@example.com","name":"Ada L."}')
  await world.svc(['docs', 'import', 'olders', 'older.ndjson', '--create'])
  const upsert = ['docs', 'import', 'olders', 'newer.ndjson', '--upsert']

  const older = await world.svc([...upsert, '--key', 'email'])
  const nobody = await world.svc([...upsert, '--by', 'email', '--key', 'svc_key_of_nobody'])
  const unnamed = await world.svc([...upsert, '--key', project.apiKey])

  expect(older).toMatchObject({
    exit: 0,
    stderr: expect.stringContaining('Using --by email. The --key flag is for the API key.'),
  })
  expect(await exported('olders')).toEqual([{ email: 'ada@example.com', name: 'Ada L.' }])
  expect(nobody.exit).toBe(3)
  expect(unnamed).toMatchObject({ exit: 2, stderr: expect.stringContaining('--upsert --by email') })
})

test('with --upsert, a field that no row has creates nothing', async () => {
  file('keyed.csv', 'email,name\nada@example.com,Ada\n')
  await world.svc(['docs', 'import', 'keyed', 'keyed.csv', '--create'])

  const ran = await world.svc(['docs', 'import', 'keyed', 'keyed.csv', '--upsert', '--by', 'emial'])

  expect(ran).toMatchObject({ exit: 2, stderr: expect.stringContaining('No row has a value in "emial"') })
  expect(await world.json(['docs', 'count', 'keyed'])).toEqual({ count: 1 })
})
