/** Many documents by one command: those that conditions match, and the lines of a file. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openHoldingProxy } from '../../fixtures/proxies/holding-proxy.js'
import { bin, cleanEnv, openWorld, type SharedProject, type World } from '../command-line.js'

let world: World
let project: SharedProject
let count = 0

beforeAll(async () => {
  world = await openWorld()
  project = await world.useEmulator()
})
afterAll(() => world.close())

/** A new collection with so many documents, every second of them a draft. */
async function aCollection(documents: number): Promise<string> {
  const name = `posts${++count}`
  const rows = Array.from({ length: documents }, (_, n) => JSON.stringify({ n, status: n % 2 ? 'draft' : 'live' }))
  await world.svc(['docs', 'import', name, '-', '--create'], { input: `${rows.join('\n')}\n` })
  return name
}

const file = (name: string, lines: readonly unknown[]) =>
  writeFileSync(join(world.folder, name), lines.map((line) => `${JSON.stringify(line)}\n`).join(''))

async function countOf(name: string, ...conditions: string[]): Promise<number> {
  const flags = conditions.flatMap((condition) => ['--where', condition])
  return ((await world.json(['docs', 'count', name, ...flags])) as { count: number }).count
}

async function someIds(name: string, limit: number): Promise<string[]> {
  const page = (await world.json(['docs', 'list', name, '--limit', String(limit)])) as { items: { id: string }[] }
  return page.items.map(({ id }) => id)
}

test('every document that a condition matches is changed, and no other', async () => {
  const name = await aCollection(1_203)

  const ran = await world.json(['docs', 'update', name, '--where', 'status=draft', 'status=old', 'seen:=true', '--yes'])

  expect(ran).toEqual({ updated: 601 })
  expect(await countOf(name, 'status=old', 'seen=true')).toBe(601)
  expect(await countOf(name, 'status=live', 'seen__isnull=true')).toBe(602)
})

test('documents that a condition matches are read once, in pages of 500', async () => {
  const name = await aCollection(1_203)

  await world.json(['docs', 'delete', name, '--where', 'n__gte=0', '--yes'])

  const path = `/collections/${name}`
  const listed = await world.json(['requests', 'list', '--method', 'GET', '--path', path, '--limit', '1000'])
  // svc dev reads the collection, too, to keep types up to date.
  const asked = (listed as { path: string }[]).filter((request) => request.path.includes('n__gte=0'))
  const pages = asked.map((request) => /\blimit=\d+/.exec(request.path)?.[0])
  expect(pages).toEqual([...Array(3).fill('limit=500'), 'limit=1'])
})

test('a change of many takes arrays apart item by item, too', async () => {
  const name = await aCollection(3)

  const ran = await world.svc(['docs', 'update', name, '--all', '--append', 'tags=news', '--yes'])

  expect(ran).toMatchObject({ exit: 0, stderr: expect.stringMatching(/^Saved snapshot .*\nChanged 3 documents\.\n$/) })
  expect(await countOf(name, 'tags=news')).toBe(3)
})

test('a change or removal of many is counted and asked about, and without a terminal it needs --yes', async () => {
  const name = await aCollection(4)
  file('delete.ndjson', [{ op: 'delete', id: (await someIds(name, 1))[0] }])

  const update = await world.svc(['docs', 'update', name, '--where', 'status=draft', 'n:=1'])
  const remove = await world.svc(['docs', 'delete', name, '--where', 'status=draft'])
  const batch = await world.svc(['docs', 'batch', name, '-f', 'delete.ndjson'])
  const asked = await world.terminal(['docs', 'update', name, '--all', 'n:=1'], [['Change 4 documents', 'n\r']])

  expect([update.exit, remove.exit, batch.exit, asked.exit]).toEqual([2, 2, 2, 130])
  expect(update.stderr).toContain(`Change 2 documents of "${name}" on 127.0.0.1`)
  expect(remove.stderr).toContain(`Delete 2 documents of "${name}" on 127.0.0.1`)
  expect(batch.stderr).toContain(`Delete 1 document in "${name}" on 127.0.0.1`)
  expect(await countOf(name)).toBe(4)
})

test('a change of many that the schema refuses says how many were changed before', async () => {
  const name = await aCollection(2)
  await world.svc(['collections', 'schema', name, '--field', 'n:integer'])

  const ran = await world.svc(['docs', 'update', name, '--all', 'n=many', '--yes'])

  expect(ran.exit).toBe(5)
  expect(ran.stderr).toContain('0 of 2 documents changed before it failed')
})

test('a change of many that permissions refuse says who may, and leaves no snapshot to undo', async () => {
  const name = await aCollection(2)
  await world.svc(['collections', 'permissions', name, '--delete', 'admin'])

  const ran = await world.svc(['docs', 'delete', name, '--all', '--yes'])

  expect(ran.exit).toBe(3)
  expect(ran.stderr).toContain('0 of 2 documents deleted before it failed')
  expect(ran.stderr).toContain(`--as <user>. Show the permissions: svc collections permissions ${name}`)
  expect(ran.stderr).toMatch(/Nothing changed, so snapshot "auto-/)
})

test('an operation on each line is carried out, those about one document in their order', async () => {
  const name = await aCollection(3)
  const other = await aCollection(0)
  const [one, two] = await someIds(name, 2)
  file('ops.ndjson', [
    { op: 'create', data: { title: 'New' } },
    { op: 'update', id: one, data: { title: 'Changed' } },
    { op: 'update', id: one, data: { title: 'Changed again' } },
    { op: 'update', id: two, data: { title: 'Going' } },
    { op: 'delete', id: two },
    { op: 'create', collection: other, data: { title: 'There' } },
  ])

  const report = await world.json(['docs', 'batch', name, '-f', 'ops.ndjson', '--yes'])

  expect(report).toEqual({ created: 2, updated: 3, replaced: 0, deleted: 1, refused: 0, refusals: [], before: 0 })
  expect(await world.json(['docs', 'get', name, String(one)])).toMatchObject({ data: { title: 'Changed again' } })
  expect([await countOf(name), await countOf(other, 'title=There')]).toEqual([3, 1])
})

test('a replacement takes away what it does not name; one that says what the document was is refused where it is not so', async () => {
  const name = await aCollection(3)
  const [one, two, three] = await someIds(name, 3)
  file('replace.ndjson', [
    { op: 'replace', id: one, data: { title: 'New' } },
    { op: 'replace', id: two, was: { n: 1, status: 'other' }, data: { title: 'New' } },
    { op: 'update', id: three, was: { n: 0 }, data: { n: 7 } },
    { op: 'update', id: two, was: { n: 0 }, data: { n: 7 } },
  ])

  const ran = await world.svc(['docs', 'batch', name, '-f', 'replace.ndjson', '--yes'])

  expect(ran.exit).toBe(5)
  expect(ran.stderr).toContain(
    'replace.ndjson:2  was changed in the meantime\nreplace.ndjson:4  was changed in the meantime\n',
  )
  expect(await world.json(['docs', 'get', name, String(one)])).toMatchObject({ data: { title: 'New' } })
  expect([await countOf(name, 'title=New'), await countOf(name, 'n=7')]).toEqual([1, 1])
})

test('operations that are refused are named by their lines, and keep no other out', async () => {
  const name = await aCollection(1)
  const [id] = await someIds(name, 1)
  const unknown = '01999999-9999-7999-8999-999999999999'
  await world.svc(['collections', 'schema', name, '--field', 'n:integer'])
  file('some.ndjson', [
    { op: 'create', data: { n: 1 } },
    { op: 'create', data: { n: 'two' } },
    { op: 'delete', id: unknown },
    { op: 'update', id, data: { n: 'three' } },
    { op: 'create', data: { n: 4 } },
  ])

  const ran = await world.svc(['docs', 'batch', name, '-f', 'some.ndjson', '--yes'])

  expect(ran.exit).toBe(5)
  expect(ran.stderr.trimEnd().split('\n')).toEqual([
    expect.stringMatching(/^Saved snapshot /),
    expect.stringMatching(/^some\.ndjson:2 {2}.*integer/),
    expect.stringMatching(/^some\.ndjson:3 {2}No document/),
    expect.stringMatching(/^some\.ndjson:4 {2}.*integer/),
    '2 created, 0 changed, 0 deleted, 3 refused.',
  ])
  expect(await countOf(name)).toBe(3)
})

test('where a line cannot be read, or names a collection that is not there, nothing is done', async () => {
  const name = await aCollection(1)
  file('bad.ndjson', [
    { op: 'create', data: {} },
    { op: 'remove', id: 'x' },
    { op: 'create', id: 'x', data: {} },
    { op: 'update', id: 'x' },
    { op: 'create', title: 'x' },
  ])
  file('nowhere.ndjson', [
    { op: 'create', data: {} },
    { op: 'create', collection: 'nowhere', data: {} },
  ])

  const bad = await world.svc(['docs', 'batch', name, '-f', 'bad.ndjson', '--yes'])
  const nowhere = await world.svc(['docs', 'batch', name, '-f', 'nowhere.ndjson', '--yes'])

  expect([bad.exit, nowhere.exit]).toEqual([5, 4])
  expect(bad.stderr.match(/^bad\.ndjson:\d/gm)).toEqual([
    'bad.ndjson:2',
    'bad.ndjson:3',
    'bad.ndjson:4',
    'bad.ndjson:5',
  ])
  expect(nowhere.stderr).toContain('No collection "nowhere" (nowhere.ndjson:2). Nothing was done.')
  expect(await countOf(name)).toBe(1)
})

test.each([
  ['SIGINT', 130],
  ['SIGKILL', null],
] as const)('a batch that is ended by %s goes on where it stopped, and creates nothing twice', async (signal, exit) => {
  const name = await aCollection(0)
  const operations = 9_000
  file(
    `${name}.ndjson`,
    Array.from({ length: operations }, (_, n) => ({ op: 'create', data: { n } })),
  )
  const words = ['docs', 'batch', name, '-f', `${name}.ndjson`, '--yes']
  const proxy = await openHoldingProxy(project.url, 2)
  const env = { SVC_URL: proxy.url, SVC_API_KEY: project.apiKey }
  const child = spawn(process.execPath, [bin, ...words], {
    cwd: world.folder,
    env: { ...cleanEnv(world.folder), ...env },
    stdio: 'ignore',
  })
  const ended = once(child, 'exit')
  await proxy.held
  child.kill(signal)
  proxy.release()
  const [code] = await ended
  const before = await countOf(name)

  const report = await world.json(words, { env })

  proxy.close()
  expect(code).toBe(exit)
  expect(before).toBeLessThan(operations)
  expect(report).toMatchObject({ refused: 0, before: expect.any(Number) })
  expect(await countOf(name)).toBe(operations)
})
