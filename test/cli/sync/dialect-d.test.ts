/** Pull, push and diff at a service of dialect d: by the names of collections, nothing created twice, nothing lost. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Client, createClient } from '../../../client/index.js'
import { type DeployedService, openDeployedService } from '../../fixtures/requests/deployed-service.js'
import { openWorld, type World } from '../command-line.js'

let world: World
let here: Client
let service: DeployedService
let there: string[]
let mine: string
let number = 0

beforeAll(async () => {
  world = await openWorld()
  const { url } = await world.useEmulator()
  here = createClient({ url, apiKey: (await world.svc(['project', 'key', '--secret'])).stdout.trim() })
})
afterAll(() => world.close())

beforeEach(async () => {
  service = await openDeployedService()
  mine = `mine${++number}`
  there = ['--url', service.url, '--key', service.apiKey, '--dialect', 'd', '--yes']
  await here.collections.create({ name: mine })
  await here.collection(mine).createMany([{ title: 'One' }, { title: 'Two' }, { title: 'Three' }])
})
afterEach(() => service.close())

const titlesThere = () => (service.collections.get(mine) ?? []).map(({ data }) => data.title).toSorted()
const titlesHere = async () => (await here.collection(mine).list()).items.map(({ data }) => data.title).toSorted()
const all = ['One', 'Three', 'Two']

test.each(['pull', 'push', 'diff'])(
  'svc %s without names says that the service lists none, and sends nothing',
  async (command) => {
    const ran = await world.svc([command, ...(command === 'diff' ? there.slice(0, -1) : there)])

    expect(ran).toMatchObject({ exit: 5, stderr: expect.stringContaining('does not list its collections') })
    expect(service.requests).toEqual([])
  },
)

test('section 16 documents go there and back by the name of their collection', async () => {
  const pushed = await world.json(['push', mine, ...there])
  const again = await world.json(['push', mine, ...there])
  const [first] = service.collections.get(mine) ?? []
  service.collections.set(mine, [
    { ...first, id: 'id-four', data: { title: 'Four' } } as NonNullable<typeof first>,
    ...(service.collections.get(mine) ?? []),
  ])
  const different = await world.svc(['diff', mine, ...there.slice(0, -1)])
  const pulled = await world.json(['pull', mine, ...there])
  const same = await world.svc(['diff', mine, ...there.slice(0, -1)])
  const listed = await world.svc(['docs', 'list', mine, '--limit', '3', ...there])

  expect(listed.stderr).toContain('3 of 4 documents. Next page: --offset 3')
  expect(pushed).toMatchObject({ created: 3, refused: [] })
  expect(again).toMatchObject({ created: 0, updated: 0 })
  expect(different.exit).toBe(10)
  expect(pulled).toMatchObject({ created: 1, updated: 0, refused: [] })
  expect(same).toMatchObject({ exit: 0, stderr: expect.stringContaining('not compared') })
  expect(await titlesHere()).toEqual(['Four', ...all])
})

test('a change goes there, and a field that is removed here is reported, because the service keeps it', async () => {
  await world.json(['push', mine, ...there])
  const { items } = await here.collection(mine).list()
  const [one, two] = items
  await here.collection(mine).update(one?.id ?? '', { title: 'Changed' })
  await here.collection(mine).update(two?.id ?? '', { $unset: ['title'] })
  await here.collection(mine).update(two?.id ?? '', { name: 'Two' })

  const ran = await world.svc(['push', mine, ...there, '--json'])

  expect(ran.exit).toBe(5)
  expect(JSON.parse(ran.stdout)).toMatchObject({
    updated: 1,
    refused: [{ problem: expect.stringContaining('kept "title"') }],
  })
  expect(titlesThere()).toContain('Changed')
})

test('a push whose answer was lost says so, and the next one creates nothing twice', async () => {
  service.collections.set(mine, [])
  service.loseAnswers(1)

  const lost = await world.svc(['push', mine, ...there, '--json'])
  const again = await world.json(['push', mine, ...there])

  expect(lost.exit).toBe(7)
  expect(again).toMatchObject({ created: 0, refused: [] })
  expect(titlesThere()).toEqual(all)
})

test('a push that was killed before it noted the answer creates nothing twice', async () => {
  await world.json(['push', mine, ...there])
  const folder = join(world.folder, 'config', 'pairs')
  for (const name of readdirSync(folder)) {
    const lines = readFileSync(join(folder, name), 'utf8').split('\n')
    const last = lines.findLastIndex((line) => line.startsWith('{"pending"'))
    if (last !== -1) writeFileSync(join(folder, name), `${lines.slice(0, last + 1).join('\n')}\n{"local`)
  }

  const again = await world.json(['push', mine, ...there])
  const pulled = await world.json(['pull', mine, ...there])

  expect([again, pulled]).toMatchObject([
    { created: 0, refused: [] },
    { created: 0, refused: [] },
  ])
  expect(titlesThere()).toEqual(all)
  expect(await titlesHere()).toEqual(all)
})

test('a push waits where the service limits writes, and sends each document once', async () => {
  service.collections.set(mine, [])
  service.limitWrites(2)

  const pushed = await world.json(['push', mine, ...there])

  expect(pushed).toMatchObject({ created: 3, refused: [] })
  expect(titlesThere()).toEqual(all)
})

test('section 10 a document without fields is refused, because a batch leaves it out', async () => {
  await here.collection(mine).create({})

  const ran = await world.svc(['push', mine, ...there, '--json'])

  expect(ran.exit).toBe(5)
  expect(JSON.parse(ran.stdout)).toMatchObject({
    created: 3,
    refused: [{ problem: expect.stringContaining('no fields') }],
  })
  expect(titlesThere()).toEqual(all)
})

test('--where takes what matches, and leaves the rest alone on both sides', async () => {
  const pushed = await world.json(['push', mine, '--where', 'title=One', ...there])
  service.collections.get(mine)?.push({
    ...{ id: 'id-five', collection_id: mine, created_at: '2026-01-01T00:00:00' },
    data: { title: 'Five' },
  })
  const pulled = await world.json(['pull', mine, '--where', 'title=Nothing', ...there])
  const rest = await world.json(['push', mine, ...there])

  expect(pushed).toMatchObject({ created: 1, collections: [{ create: 1, leftAlone: 2 }] })
  expect(pulled).toMatchObject({ created: 0 })
  expect(rest).toMatchObject({ created: 2 })
  expect(await titlesHere()).toEqual(all)
})

test('a push shows some of the documents that it will send', async () => {
  const { stderr } = await world.svc(['push', mine, ...there, '--dry-run'])

  expect(stderr).toMatch(/create {2}mine\d+\/\S+ {2}\{"title":"One"\}/)
})
