/** Which files are seeds, and how they are written. */
import { mkdirSync, writeFileSync } from 'node:fs'
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

test('seeds may have comments, with collections and without', async () => {
  const one = file(`${own}one.json`, `{"collections": {\n// the first\n"${own}one": {"documents": [{"a": 1}]}\n}}`)
  const two = file(`${own}two.json`, '[\n// the first\n{"a": 1 /* why */ },\n{"a": 2}\n]')

  const planted = await world.json(['seed', one, two])

  expect(planted).toMatchObject([{ created: 1 }, { created: 2 }])
  expect(await fields(`${own}two`)).toEqual([{ a: 1 }, { a: 2 }])
})

test('a pattern names files of folders with brackets in their names', async () => {
  file(`${own}[id]/(group)/${own}cities.csv`, 'name\nBern\n')

  const planted = await world.json(['seed', `${own}[id]/**/*.csv`])

  expect(planted).toMatchObject([{ collection: `${own}cities`, created: 1 }])
})

test('without files it takes seed.json and seeds/, and says so where there is nothing', async () => {
  const other = await openWorld()
  const { url, apiKey } = await world.json(['status']).then((status) => status as { url: string; apiKey: string })
  const env = { SVC_URL: url, SVC_API_KEY: apiKey }
  const nothing = await other.svc(['seed'], { env })
  mkdirSync(join(other.folder, 'seeds'))
  writeFileSync(join(other.folder, 'seed.json'), `{"collections":{"${own}one":{"documents":[{"a":1}]}}}`)
  writeFileSync(join(other.folder, 'seeds', `${own}two.csv`), 'a\n1\n2\n')

  const planted = await other.json(['seed'], { env })

  expect(nothing).toMatchObject({ exit: 2, stderr: expect.stringContaining('nothing to seed') })
  expect(planted).toMatchObject([
    { collection: `${own}one`, created: 1 },
    { collection: `${own}two`, created: 2 },
  ])
  await other.close()
})
