import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openWorld, type World } from '../command-line.js'

let world: World
let tests = 0
/** In front of the names of each test's collections: they share one emulator. */
let own = ''

beforeAll(async () => {
  world = await openWorld()
  await world.dev('--memory')
})
beforeEach(() => {
  own = `t${++tests}-`
})
afterAll(() => world.close())

function file(name: string, content: string): string {
  const path = join(world.folder, name)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content)
  return name
}

const listed = async (collection: string, ...words: string[]) => {
  const page = await world.json(['docs', 'list', collection, '--sort', 'createdAt', ...words])
  return (page as { items: { id: string; data: Record<string, unknown> }[] }).items
}
const fields = async (collection: string, ...words: string[]) =>
  (await listed(collection, ...words)).map(({ data }) => data)

const library = () => ({
  collections: {
    // Before what it refers to: the order of the file does not matter.
    [`${own}posts`]: {
      schema: { title: { type: 'string', required: true } },
      key: 'title',
      documents: [
        { title: 'Hello', author: `\${${own}authors.ada.id}`, by: `written by \${${own}authors.ada.name}` },
        { title: 'Bye', author: `\${${own}authors.bob.id}`, tags: [`\${${own}authors.bob.address.city}`] },
      ],
    },
    [`${own}authors`]: {
      key: 'name',
      documents: { ada: { name: 'Ada', age: 36 }, bob: { name: 'Bob', address: { city: 'Bern' } } },
    },
  },
})

test('one file holds collections with schemas, and documents that refer to each other', async () => {
  const seed = file(`${own}.json`, JSON.stringify(library()))

  const planted = await world.json(['seed', seed])

  expect(planted).toEqual([
    { file: seed, collection: `${own}authors`, created: 2, updated: 0, kept: 0 },
    { file: seed, collection: `${own}posts`, created: 2, updated: 0, kept: 0 },
  ])
  expect(await fields(`${own}posts`, '--populate', 'author')).toMatchObject([
    { title: 'Hello', author: { data: { name: 'Ada', age: 36 } }, by: 'written by Ada' },
    { title: 'Bye', author: { data: { name: 'Bob' } }, tags: ['Bern'] },
  ])
  expect((await world.svc(['docs', 'create', `${own}posts`, 'views=1'])).stderr).toContain('"title" is required')
})

test('seeding again adds nothing, and leaves alone what somebody has changed', async () => {
  const seed = file(`${own}.json`, JSON.stringify(library()))
  await world.svc(['seed', seed])
  const [ada] = await listed(`${own}authors`, '--where', 'name=Ada')
  await world.svc(['docs', 'update', `${own}authors`, ada?.id ?? '', 'age:=40'])

  const planted = await world.json(['seed', seed])

  expect(planted).toMatchObject([
    { created: 0, updated: 0, kept: 2 },
    { created: 0, updated: 0, kept: 2 },
  ])
  expect(await fields(`${own}authors`)).toMatchObject([{ name: 'Ada', age: 40 }, { name: 'Bob' }])
})

test('a document that was added to the file is not planted again either, nor what refers to it', async () => {
  await world.svc(['seed', file(`${own}.json`, JSON.stringify(library()))])
  const more = library()
  Object.assign(more.collections[`${own}authors`]?.documents ?? {}, { cyd: { name: 'Cyd' } })
  const posts = more.collections[`${own}posts`]?.documents
  if (Array.isArray(posts)) posts.push({ title: 'New', author: `\${${own}authors.cyd.id}` } as never)

  const ran = await world.svc(['seed', file(`${own}.json`, JSON.stringify(more)), '--json'])

  expect(JSON.parse(ran.stdout)).toMatchObject([{ kept: 3 }, { kept: 3 }])
  expect(await world.json(['docs', 'count', `${own}posts`])).toEqual({ count: 2 })
})

test('seeding again works with documents that no query can ask for, and finds those that are referred to', async () => {
  const [pages, links] = [`${own}pages`, `${own}links`]
  const documents = {
    home: { order: 1, count: 2, sort: 'a', populate: 'b', a__x: 1 },
    long: { text: 'x'.repeat(9_000) },
    longer: { text: 'ü'.repeat(9_000) },
  }
  const link = { to: `\${${pages}.home.id}`, beside: [`\${${pages}.long.id}`, `\${${pages}.longer.id}`] }
  const seed = file(
    `${own}.json`,
    JSON.stringify({ collections: { [pages]: { documents }, [links]: { documents: [link] } } }),
  )
  await world.svc(['seed', seed])
  const [first] = await listed(links)

  const again = await world.json(['seed', seed])
  await world.svc(['docs', 'delete', links, first?.id ?? '', '--yes'])
  const refilled = await world.json(['seed', seed])
  rmSync(join(world.folder, 'config', 'seeds'), { recursive: true })
  const forgotten = await world.json(['seed', seed])

  expect(again).toMatchObject([{ kept: 3 }, { kept: 1 }])
  expect(refilled).toMatchObject([{ kept: 3 }, { created: 1 }])
  expect(await fields(links)).toEqual([first?.data])
  expect(forgotten).toMatchObject([{ kept: 3 }, { kept: 1 }])
})

test('a file of documents of which one is refused leaves none, and is planted whole once it is put right', async () => {
  const name = `${own}rows`
  const rows = Array.from({ length: 1_500 }, (_, n) => JSON.stringify({ n }))
  const wrong = await world.svc(['seed', file(`${name}.ndjson`, [...rows, '[1]'].join('\n'))])
  const left = await world.json(['docs', 'count', name])

  const right = await world.json(['seed', file(`${name}.ndjson`, rows.join('\n'))])

  expect(wrong).toMatchObject({ exit: 5, stderr: expect.stringContaining(`${name}.ndjson:1501: `) })
  expect(left).toEqual({ count: 0 })
  expect(right).toMatchObject([{ created: 1_500, kept: 0 }])
})

test('--upsert brings up to date what is there by its key, and adds what is not', async () => {
  const seed = file(`${own}.json`, JSON.stringify(library()))
  await world.svc(['seed', seed])
  const changed = library()
  Object.assign(changed.collections[`${own}authors`]?.documents ?? {}, {
    ada: { name: 'Ada', age: 37 },
    cyd: { name: 'Cyd' },
  })
  file(`${own}.json`, JSON.stringify(changed))

  const planted = await world.json(['seed', seed, '--upsert'])

  expect(planted).toMatchObject([
    { collection: `${own}authors`, created: 1, updated: 2, kept: 0 },
    { collection: `${own}posts`, created: 0, updated: 2, kept: 0 },
  ])
  expect(await fields(`${own}authors`)).toMatchObject([{ name: 'Ada', age: 37 }, { name: 'Bob' }, { name: 'Cyd' }])
})

test.each([
  ['json', '[{"name":"Ada","age":36},{"name":"Bob"}]'],
  ['ndjson', '{"name":"Ada","age":36}\n{"name":"Bob"}\n'],
  ['csv', 'name,age\nAda,36\nBob,\n'],
])('a file of documents is called after its collection: %s', async (extension, content) => {
  const name = `${own}people`
  const seed = file(`${name}.${extension}`, content)

  const first = await world.json(['seed', seed])
  const again = await world.json(['seed', seed])

  expect(first).toEqual([{ file: seed, collection: name, created: 2, updated: 0, kept: 0 }])
  expect(again).toEqual([{ file: seed, collection: name, created: 0, updated: 0, kept: 2 }])
  expect(await fields(name)).toEqual([{ name: 'Ada', age: 36 }, { name: 'Bob' }])
})

test('a key of a seed file that nothing reads is refused by name and line', async () => {
  const seed = file(`${own}typo.json`, '{\n"collection": {},\n"collections": {}\n}')

  const ran = await world.svc(['seed', seed])

  expect(ran).toMatchObject({ exit: 5, stderr: expect.stringContaining(':2: "collection" is not part of a seed file') })
})

test('a file that was wrong is planted whole once it is put right', async () => {
  const name = 'put-right'
  const seed = (age: string) => `{"collections": {"${name}": {
    "schema": {"age": {"type": "integer"}},
    "documents": [{"age": 1}, {"age": ${age}}, {"age": 3}]
  }}}`
  file('right.json', seed('"two"'))
  const wrong = await world.svc(['seed', 'right.json'])

  file('right.json', seed('2'))
  const right = await world.json(['seed', 'right.json'])

  expect(wrong.exit).toBe(5)
  expect(right).toMatchObject([{ created: 3, kept: 0 }])
  expect((await fields(name)).map(({ age }) => age).sort()).toEqual([1, 2, 3])
})

const mistakes: readonly (readonly [title: string, name: string, content: string, said: RegExp])[] = [
  ['text that is not JSON', 'bad.json', '{\n  "collections": {\n    "a": oops\n  }\n}', /bad\.json:3: is not JSON/],
  [
    'a document that is no object',
    'bad.json',
    '{"collections": {\n  "bad-a": {"documents": [\n    {"x": 1},\n    5\n  ]}\n}}',
    /bad\.json:4: "bad-a\.1" is not an object/,
  ],
  [
    'a document that the schema refuses',
    'bad.json',
    '{"collections": {"bad-b": {\n  "schema": {"n": {"type": "integer"}},\n  "documents": {\n    "one": {"n": 1},\n    "two": {"n": "x"}\n  }\n}}}',
    /bad\.json:5: "bad-b\.two": .*"n"/,
  ],
  [
    'a reference to nothing',
    'bad.json',
    `{"collections": {"bad-c": {\n  "documents": [\n    {"who": "\${bad-d.ada.id}"}\n  ]\n}}}`,
    /bad\.json:3: "0" refers to \$\{bad-d\.ada\.id\}, and there is no such document/,
  ],
  [
    'a reference to a field that is not there',
    'bad.json',
    `{"collections": {\n  "bad-e": {"documents": {"ada": {}}},\n  "bad-f": {"documents": [\n    {"who": "\${bad-e.ada.name}"}\n  ]}\n}}`,
    /bad\.json:4: "0" refers to \$\{bad-e\.ada\.name\}, which has no such field/,
  ],
  [
    'collections that refer to each other in a circle',
    'bad.json',
    `{"collections": {\n  "bad-g": {"documents": {"a": {"x": "\${bad-h.b.id}"}}},\n  "bad-h": {"documents": {"b": {"x": "\${bad-g.a.id}"}}}\n}}`,
    /bad\.json:2: the collections refer to each other in a circle: bad-g → bad-h → bad-g/,
  ],
  [
    'documents under another name',
    'bad.json',
    '{"collections": {\n  "bad-j": {\n    "docs": [{"x": 1}]\n  }\n}}',
    /bad\.json:3: "docs" of "bad-j" is none of schema, key and documents/,
  ],
  ['a row that is no object', 'bad-i.ndjson', '{"x":1}\n\n[2]\n', /bad-i\.ndjson:3: /],
]

test.each(mistakes)('%s is named with file and line', async (_, name, content, said) => {
  const ran = await world.svc(['seed', file(name, content)])

  expect(ran).toMatchObject({ exit: 5, stdout: '', stderr: expect.stringMatching(said) })
})

test('a file of an unknown kind is not sent to a flag that seed has not', async () => {
  const ran = await world.svc(['seed', file('unknown.txt', 'a,b\n1,2\n')])

  expect(ran).toMatchObject({ exit: 2, stderr: expect.stringContaining('Let it end in .json, .ndjson or .csv') })
})

test('svc dev --seed fills at the start, and once', async () => {
  const other = await openWorld()
  writeFileSync(join(other.folder, 'authors.csv'), 'name\nAda\nBob\n')
  const first = await other.dev('--seed', 'authors.csv')
  await first.stop()

  await other.dev('--seed', 'authors.csv')

  expect(await other.json(['docs', 'count', 'authors'])).toEqual({ count: 2 })
  await other.close()
})

test('svc dev with a seed that cannot be planted says file and line, and does not stay', async () => {
  const other = await openWorld()
  writeFileSync(join(other.folder, 'seed.json'), '{\n"collections": [}')

  const ran = await other.svc(['dev', '--memory', '--port', '0', '--seed', 'seed.json'])

  expect(ran).toMatchObject({ exit: 5, stderr: expect.stringMatching(/seed\.json:2: is not JSON/) })
  await other.close()
})
