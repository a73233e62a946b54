import { rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openWorld } from '../command-line.js'
import { seedWorld } from './seed-world.js'

const seeds = seedWorld()
const { file, listed, fields } = seeds

const library = () => ({
  collections: {
    // Before what it refers to: the order of the file does not matter.
    [`${seeds.own}posts`]: {
      schema: { title: { type: 'string', required: true } },
      key: 'title',
      documents: [
        { title: 'Hello', author: `\${${seeds.own}authors.ada.id}`, by: `written by \${${seeds.own}authors.ada.name}` },
        { title: 'Bye', author: `\${${seeds.own}authors.bob.id}`, tags: [`\${${seeds.own}authors.bob.address.city}`] },
      ],
    },
    [`${seeds.own}authors`]: {
      key: 'name',
      documents: { ada: { name: 'Ada', age: 36 }, bob: { name: 'Bob', address: { city: 'Bern' } } },
    },
  },
})

test('one file holds collections with schemas, and documents that refer to each other', async () => {
  const seed = file(`${seeds.own}.json`, JSON.stringify(library()))

  const planted = await seeds.world.json(['seed', seed])

  expect(planted).toEqual([
    { file: seed, collection: `${seeds.own}authors`, created: 2, updated: 0, kept: 0 },
    { file: seed, collection: `${seeds.own}posts`, created: 2, updated: 0, kept: 0 },
  ])
  expect(await fields(`${seeds.own}posts`, '--populate', 'author')).toMatchObject([
    { title: 'Hello', author: { data: { name: 'Ada', age: 36 } }, by: 'written by Ada' },
    { title: 'Bye', author: { data: { name: 'Bob' } }, tags: ['Bern'] },
  ])
  expect((await seeds.world.svc(['docs', 'create', `${seeds.own}posts`, 'views=1'])).stderr).toContain(
    '"title" is required',
  )
})

test('a link to a file of rows fills the collection that the link is called after', async () => {
  const rows = file(`${seeds.own}rows.json`, JSON.stringify([{ n: 1 }]))
  symlinkSync(rows, join(seeds.world.folder, `${seeds.own}same.json`))

  const planted = await seeds.world.json(['seed', rows, `${seeds.own}same.json`, rows])

  expect(planted).toMatchObject([
    { collection: `${seeds.own}rows`, created: 1 },
    { collection: `${seeds.own}same`, created: 1 },
  ])
})

test('seeding again adds nothing, and leaves alone what somebody has changed', async () => {
  const seed = file(`${seeds.own}.json`, JSON.stringify(library()))
  await seeds.world.svc(['seed', seed])
  const [ada] = await listed(`${seeds.own}authors`, '--where', 'name=Ada')
  await seeds.world.svc(['docs', 'update', `${seeds.own}authors`, ada?.id ?? '', 'age:=40'])

  const planted = await seeds.world.json(['seed', seed])

  expect(planted).toMatchObject([
    { created: 0, updated: 0, kept: 2 },
    { created: 0, updated: 0, kept: 2 },
  ])
  expect(await fields(`${seeds.own}authors`)).toMatchObject([{ name: 'Ada', age: 40 }, { name: 'Bob' }])
})

test('a collection that holds other documents is named, with what seeds it all the same', async () => {
  const seed = file(`${seeds.own}.json`, JSON.stringify(library()))
  await seeds.world.json(['collections', 'create', `${seeds.own}posts`])
  await seeds.world.json(['docs', 'create', `${seeds.own}posts`, 'title=Mine'])

  const { stderr } = await seeds.world.svc(['seed', seed])

  expect(stderr).toContain(`Skipped collections with data: ${seeds.own}posts. To update them, pass --upsert.`)
  expect(stderr).not.toContain(`${seeds.own}authors`)
})

test('a document that was added to the file is not planted again either, nor what refers to it', async () => {
  await seeds.world.svc(['seed', file(`${seeds.own}.json`, JSON.stringify(library()))])
  const more = library()
  Object.assign(more.collections[`${seeds.own}authors`]?.documents ?? {}, { cyd: { name: 'Cyd' } })
  const posts = more.collections[`${seeds.own}posts`]?.documents
  if (Array.isArray(posts)) posts.push({ title: 'New', author: `\${${seeds.own}authors.cyd.id}` } as never)

  const ran = await seeds.world.svc(['seed', file(`${seeds.own}.json`, JSON.stringify(more)), '--json'])

  expect(JSON.parse(ran.stdout)).toMatchObject([{ kept: 3 }, { kept: 3 }])
  expect(await seeds.world.json(['docs', 'count', `${seeds.own}posts`])).toEqual({ count: 2 })
})

test('seeding again works with documents that no query can ask for, and finds those that are referred to', async () => {
  const [pages, links] = [`${seeds.own}pages`, `${seeds.own}links`]
  const documents = {
    home: { order: 1, count: 2, sort: 'a', populate: 'b', a__x: 1 },
    long: { text: 'x'.repeat(9_000) },
    longer: { text: 'ü'.repeat(9_000) },
  }
  const link = { to: `\${${pages}.home.id}`, beside: [`\${${pages}.long.id}`, `\${${pages}.longer.id}`] }
  const seed = file(
    `${seeds.own}.json`,
    JSON.stringify({ collections: { [pages]: { documents }, [links]: { documents: [link] } } }),
  )
  await seeds.world.svc(['seed', seed])
  const [first] = await listed(links)

  const again = await seeds.world.json(['seed', seed])
  await seeds.world.svc(['docs', 'delete', links, first?.id ?? '', '--yes'])
  const refilled = await seeds.world.json(['seed', seed])
  rmSync(join(seeds.world.folder, 'config', 'seeds'), { recursive: true })
  const forgotten = await seeds.world.json(['seed', seed])

  expect(again).toMatchObject([{ kept: 3 }, { kept: 1 }])
  expect(refilled).toMatchObject([{ kept: 3 }, { created: 1 }])
  expect(await fields(links)).toEqual([first?.data])
  expect(forgotten).toMatchObject([{ kept: 3 }, { kept: 1 }])
})

test('a file of documents of which one is refused leaves none, and is planted whole once it is put right', async () => {
  const name = `${seeds.own}rows`
  const rows = Array.from({ length: 1_500 }, (_, n) => JSON.stringify({ n }))
  const wrong = await seeds.world.svc(['seed', file(`${name}.ndjson`, [...rows, '[1]'].join('\n'))])
  const left = await seeds.world.json(['docs', 'count', name])

  const right = await seeds.world.json(['seed', file(`${name}.ndjson`, rows.join('\n'))])

  expect(wrong).toMatchObject({ exit: 5, stderr: expect.stringContaining(`${name}.ndjson:1501: `) })
  expect(left).toMatchObject({ error: { code: 'NOT_FOUND' } })
  expect(right).toMatchObject([{ created: 1_500, kept: 0 }])
})

test('--upsert brings up to date what is there by its key, and adds what is not', async () => {
  const seed = file(`${seeds.own}.json`, JSON.stringify(library()))
  await seeds.world.svc(['seed', seed])
  const changed = library()
  Object.assign(changed.collections[`${seeds.own}authors`]?.documents ?? {}, {
    ada: { name: 'Ada', age: 37 },
    cyd: { name: 'Cyd' },
  })
  file(`${seeds.own}.json`, JSON.stringify(changed))

  const planted = await seeds.world.json(['seed', seed, '--upsert'])

  expect(planted).toMatchObject([
    { collection: `${seeds.own}authors`, created: 1, updated: 2, kept: 0 },
    { collection: `${seeds.own}posts`, created: 0, updated: 2, kept: 0 },
  ])
  expect(await fields(`${seeds.own}authors`)).toMatchObject([
    { name: 'Ada', age: 37 },
    { name: 'Bob' },
    { name: 'Cyd' },
  ])
})

test.each([
  ['json', '[{"name":"Ada","age":36},{"name":"Bob"}]'],
  ['ndjson', '{"name":"Ada","age":36}\n{"name":"Bob"}\n'],
  ['csv', 'name,age\nAda,36\nBob,\n'],
])('a file of documents is called after its collection: %s', async (extension, content) => {
  const name = `${seeds.own}people`
  const seed = file(`${name}.${extension}`, content)

  const first = await seeds.world.json(['seed', seed])
  const again = await seeds.world.json(['seed', seed])

  expect(first).toEqual([{ file: seed, collection: name, created: 2, updated: 0, kept: 0 }])
  expect(again).toEqual([{ file: seed, collection: name, created: 0, updated: 0, kept: 2 }])
  expect(await fields(name)).toEqual([{ name: 'Ada', age: 36 }, { name: 'Bob' }])
})

test('a key of a seed file that nothing reads is refused by name and line', async () => {
  const seed = file(`${seeds.own}typo.json`, '{\n"collection": {},\n"collections": {}\n}')

  const ran = await seeds.world.svc(['seed', seed])

  expect(ran).toMatchObject({ exit: 5, stderr: expect.stringContaining(':2: "collection" is not part of a seed') })
})

test('a file that was wrong is planted whole once it is put right', async () => {
  const name = 'put-right'
  const seed = (age: string) => `{"collections": {"${name}": {
    "schema": {"age": {"type": "integer"}},
    "documents": [{"age": 1}, {"age": ${age}}, {"age": 3}]
  }}}`
  file('right.json', seed('"two"'))
  const wrong = await seeds.world.svc(['seed', 'right.json'])

  file('right.json', seed('2'))
  const right = await seeds.world.json(['seed', 'right.json'])

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
    /bad\.json:3: "0" refers to \$\{bad-d\.ada\.id\}, but this document does not exist/,
  ],
  [
    'a reference to a field that is not there',
    'bad.json',
    `{"collections": {\n  "bad-e": {"documents": {"ada": {}}},\n  "bad-f": {"documents": [\n    {"who": "\${bad-e.ada.name}"}\n  ]}\n}}`,
    /bad\.json:4: "0" refers to \$\{bad-e\.ada\.name\}, but that field does not exist/,
  ],
  [
    'collections that refer to each other in a circle',
    'bad.json',
    `{"collections": {\n  "bad-g": {"documents": {"a": {"x": "\${bad-h.b.x}"}}},\n  "bad-h": {"documents": {"b": {"x": "\${bad-g.a.x}"}}}\n}}`,
    /bad\.json:2: circular references between collections: bad-g → bad-h → bad-g/,
  ],
  [
    'documents under another name',
    'bad.json',
    '{"collections": {\n  "bad-j": {\n    "docs": [{"x": 1}]\n  }\n}}',
    /bad\.json:3: unknown "docs" in "bad-j"\. Use schema, unique, title, permissions, key and documents/,
  ],
  ['a row that is no object', 'bad-i.ndjson', '{"x":1}\n\n[2]\n', /bad-i\.ndjson:3: /],
]

test.each(mistakes)('%s is named with file and line', async (_, name, content, said) => {
  const ran = await seeds.world.svc(['seed', file(name, content)])

  expect(ran).toMatchObject({ exit: 5, stdout: '', stderr: expect.stringMatching(said) })
})

test('a file of an unknown kind is not sent to a flag that seed has not', async () => {
  const ran = await seeds.world.svc(['seed', file('unknown.txt', 'a,b\n1,2\n')])

  expect(ran).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining('Use a file that ends in .json, .ndjson or .csv'),
  })
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
