import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
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
  writeFileSync(join(world.folder, name), content)
  return name
}

async function fields(collection: string): Promise<Record<string, unknown>[]> {
  const page = await world.json(['docs', 'list', collection, '--sort', 'createdAt'])
  return (page as { items: { data: Record<string, unknown> }[] }).items.map(({ data }) => data)
}

test('a document without a key whose fields were changed in the file is changed, and not created once more', async () => {
  const name = `${own}renamed`
  const content = (documents: unknown) => JSON.stringify({ collections: { [name]: { documents } } })
  const seed = file(`${name}.json`, content([{ title: 'Hello' }, { title: 'World' }]))
  await world.svc(['seed', seed])
  file(`${name}.json`, content([{ title: 'New' }, { title: 'Hello' }, { title: 'Whole world', views: 1 }]))

  const moved = await world.json(['seed', seed, '--upsert'])
  file(`${name}.json`, content([{ title: 'New' }, { title: 'Hello' }, { title: 'Wide world', views: 1 }]))
  const changed = await world.json(['seed', seed, '--upsert'])

  expect(moved).toMatchObject([{ created: 2, updated: 1 }])
  expect(changed).toMatchObject([{ created: 0, updated: 3 }])
  expect((await fields(name)).map(({ title }) => title)).toEqual(['Hello', 'World', 'New', 'Wide world'])
})

test('a named document without a key stays the same one whatever its fields become', async () => {
  const name = `${own}named`
  const content = (ada: unknown) => JSON.stringify({ collections: { [name]: { documents: { ada, bob: { n: 'B' } } } } })
  const seed = file(`${name}.json`, content({ n: 'Ada' }))
  await world.svc(['seed', seed])
  file(`${name}.json`, content({ n: 'Ada Lovelace' }))

  const planted = await world.json(['seed', seed, '--upsert'])

  expect(planted).toMatchObject([{ created: 0, updated: 2 }])
  expect(await fields(name)).toEqual([{ n: 'Ada Lovelace' }, { n: 'B' }])
})

test('--upsert keeps a schema that the file does not mention', async () => {
  const name = `${own}kept`
  const seed = file(`${name}.json`, JSON.stringify({ collections: { [name]: { documents: [{ title: 'Hello' }] } } }))
  await world.svc(['collections', 'create', name, '--field', 'title:string!'])

  await world.svc(['seed', seed, '--upsert'])

  expect(await world.json(['collections', 'schema', name])).toEqual({ title: { type: 'string', required: true } })
})

test.each([
  [
    'in the file',
    (name: string) => `{"collections":{"${name}":{"key":"email","documents":[{"email":"a@x.org"},\n{}]}}}`,
  ],
  ['by --by', (name: string) => `{"collections":{"${name}":{"documents":[{"email":"a@x.org"},\n{"email":null}]}}}`],
])('a document without the key that was named %s is refused before anything is created', async (_where, content) => {
  const name = `${own}keyed`
  const seed = file(`${name}.json`, content(name))

  const ran = await world.svc(['seed', seed, '--upsert', '--by', 'email'])

  expect(ran).toMatchObject({ exit: 5, stderr: expect.stringContaining(`${name}.json:2: "${name}.1" has no text`) })
  expect(await world.json(['docs', 'count', name])).toMatchObject({ error: { code: 'NOT_FOUND' } })
})

test('a row without the field of --by is refused, and not created again by each seed', async () => {
  const name = `${own}rows`
  const seed = file(`${name}.csv`, 'email,name\na@x.org,Ada\n,Nobody\n')

  const first = await world.svc(['seed', seed, '--upsert', '--by', 'email'])
  const again = await world.svc(['seed', seed, '--upsert', '--by', 'email'])

  for (const ran of [first, again]) {
    expect(ran).toMatchObject({ exit: 5, stderr: expect.stringContaining(`${name}.csv:3: has no text`) })
  }
  expect(await fields(name)).toEqual([{ email: 'a@x.org', name: 'Ada' }])
})

test('--upsert of a file of documents goes by the field of --by', async () => {
  const name = `${own}people`
  await world.svc(['seed', file(`${name}.csv`, 'email,name\na@x.org,Ada\nb@x.org,Bob\n')])

  const planted = await world.json([
    'seed',
    file(`${name}.csv`, 'email,name\nb@x.org,Bobby\nc@x.org,Cyd\n'),
    '--upsert',
    '--by',
    'email',
  ])
  const withoutKey = await world.svc(['seed', `${name}.csv`, '--upsert'])

  expect(planted).toMatchObject([{ created: 1, updated: 1, kept: 0 }])
  expect((await fields(name)).map((one) => one.name)).toEqual(['Ada', 'Bobby', 'Cyd'])
  expect(withoutKey).toMatchObject({ exit: 2, stderr: expect.stringContaining('--by email') })
})
