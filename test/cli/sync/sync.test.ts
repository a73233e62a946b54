/** `svc pull`, `svc push` and `svc diff` between the emulator of a folder and a service that runs elsewhere. */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Client } from '../../../client/index.js'
import { idOf, nothing, openTwoServices, staging, type TwoServices } from './two-services.js'

let two: TwoServices
let world: TwoServices['world']
let dev: TwoServices['dev']
let here: TwoServices['here']
let there: TwoServices['there']

beforeEach(async () => {
  two = await openTwoServices()
  ;({ world, dev, here, there } = two)
})
afterEach(() => two.close())

/** The documents of a side by their titles, without ids. */
async function titles(client: Client, name: string): Promise<string[]> {
  const found: string[] = []
  for await (const { data } of client.collection(name).iterate()) found.push(String(data.title))
  return found.sort()
}

test('a pull brings collections with schema and permissions, and documents whose links follow', async () => {
  const schema = { title: { type: 'string', required: true } } as const
  await there.collections.create({ name: 'posts', schema, permissions: { update: ['editor'] } })
  const one = await there.collection('posts').create({ title: 'One' })
  const two = await there.collection('posts').create({ title: 'Two', next: one.id, all: [{ id: one.id }] })
  await there.collection('posts').update(one.id, { next: two.id })

  const pulled = await world.json(['pull', ...staging])
  const different = await world.svc(['diff', '--profile', 'staging'])

  expect(pulled).toMatchObject({ created: 2, updated: 0, deleted: 0, refused: [] })
  expect(different.exit).toBe(0)
  expect(await here.collections.get('posts')).toMatchObject({ schema, permissions: { update: ['editor'] } })
  const [first, second] = [await idOf(here, 'posts', 'One'), await idOf(here, 'posts', 'Two')]
  expect((await here.collection('posts').get(first)).data.next).toBe(second)
  expect((await here.collection('posts').get(second)).data).toMatchObject({ next: first, all: [{ id: first }] })
  expect([first, second]).not.toContain(one.id)
})

test('a pull brings collections whose links lead to each other, and a part of them with plain ids', async () => {
  const link = (to: string) => ({ type: 'link', to }) as const
  await there.collections.create({ name: 'cards', schema: { next: link('cards') }, title: null })
  const schema = { title: { type: 'string' }, card: link('cards') } as const
  await there.collections.create({ name: 'boards', schema, unique: [['title', 'card']], title: 'title' })
  await there.collections.update('cards', {
    schema: { next: link('cards'), board: { ...link('boards'), required: true } },
  })
  const board = await there.collection('boards').create({ title: 'B' })
  const first = await there.collection('cards').create({ board: board.id })
  const second = await there.collection('cards').create({ board: board.id, next: first.id })
  await there.collection('cards').update(first.id, { next: second.id })
  await there.collection('boards').update(board.id, { card: second.id })

  const part = await world.json(['pull', 'boards', ...staging])
  expect(part).toMatchObject({ created: 1, refused: [] })
  expect((await here.collections.get('boards')).schema).toEqual({ ...schema, card: { type: 'string' } })
  await here.collections.delete('boards')
  const whole = await world.json(['pull', ...staging])

  expect(whole).toMatchObject({ created: 3, refused: [] })
  expect(await here.collections.get('boards')).toMatchObject({ schema, unique: [['title', 'card']], title: 'title' })
  expect((await here.collections.get('cards')).schema).toMatchObject({ board: { to: 'boards' }, next: { to: 'cards' } })
  expect((await world.svc(['diff', '--profile', 'staging'])).exit).toBe(0)
})

test('what changed on one side goes to the other, and what changed on both only by force', async () => {
  await there.collections.create({ name: 'posts' })
  await there
    .collection('posts')
    .createMany(['here', 'there', 'both', 'same'].map((title) => ({ title, body: 'old', note: 1 })))
  await world.json(['pull', ...staging])
  const change = async (client: Client, title: string, body: string) =>
    client.collection('posts').update(await idOf(client, 'posts', title), { body })
  await change(here, 'here', 'mine')
  await change(there, 'there', 'theirs')
  await change(here, 'both', 'mine')
  await change(there, 'both', 'theirs')
  const bodies = async (client: Client) => {
    const all: Record<string, unknown> = {}
    for await (const { data } of client.collection('posts').iterate()) all[String(data.title)] = data.body
    return all
  }

  const diff = await world.json(['diff', '--profile', 'staging'])
  await world.json(['pull', ...staging])
  const afterPull = await bodies(here)
  await world.json(['push', ...staging])
  const afterPush = await bodies(there)
  await world.json(['push', ...staging, '--force'])
  const afterForce = await bodies(there)

  const counts = { ...nothing, same: 1, changedHere: 1, changedThere: 1, changedOnBoth: 1 }
  expect(diff).toMatchObject({ isSame: false, collections: [{ collection: 'posts', ...counts }] })
  expect(afterPull).toEqual({ here: 'mine', there: 'theirs', both: 'mine', same: 'old' })
  expect(afterPush).toEqual({ here: 'mine', there: 'theirs', both: 'theirs', same: 'old' })
  expect(afterForce).toEqual({ here: 'mine', there: 'theirs', both: 'mine', same: 'old' })
  expect((await world.svc(['diff', '--profile', 'staging'])).exit).toBe(0)
})

test.each(['a', 'b', 'c'])(
  'in dialect %s, a push after its collection was deleted there creates the documents again',
  async (dialect) => {
    await here.collections.create({ name: 'posts' })
    await here.collection('posts').createMany([{ title: 'One' }, { title: 'Two' }, { title: 'Three' }])
    const push = ['push', 'posts', ...staging, '--dialect', dialect]
    await world.json(push)
    await there.collections.delete('posts')

    const again = await world.json(push)

    expect(again).toMatchObject({ created: 3, refused: [] })
    expect(await titles(there, 'posts')).toEqual(['One', 'Three', 'Two'])
  },
)

test('a push leaves alone what it does not mention, and deletes only what it is told to', async () => {
  await there.collections.create({ name: 'posts' })
  await there.collection('posts').createMany([{ title: 'kept' }, { title: 'deleted' }])
  await world.json(['pull', ...staging])
  await there.collection('posts').create({ title: 'later' })
  await here.collection('posts').delete(await idOf(here, 'posts', 'deleted'))
  await here.collection('posts').create({ title: 'mine' })

  await world.json(['push', ...staging])
  const kept = await titles(there, 'posts')
  const pushed = await world.json(['push', ...staging, '--delete'])

  expect(kept).toEqual(['deleted', 'kept', 'later', 'mine'])
  expect(pushed).toMatchObject({ created: 0, deleted: 1 })
  expect(await titles(there, 'posts')).toEqual(['kept', 'later', 'mine'])
})

test('a document that was deleted there and changed here is a conflict, and no pull deletes it', async () => {
  await there.collections.create({ name: 'posts' })
  await there.collection('posts').createMany(['kept', 'changed', 'deleted'].map((title) => ({ title })))
  await world.json(['pull', ...staging])
  for (const title of ['changed', 'deleted']) await there.collection('posts').delete(await idOf(there, 'posts', title))
  await here.collection('posts').update(await idOf(here, 'posts', 'changed'), { body: 'mine' })

  const diff = await world.json(['diff', '--profile', 'staging'])
  const pulled = await world.json(['pull', ...staging, '--delete', '--force'])

  const counts = { ...nothing, same: 1, changedOnBoth: 1, deletedThere: 1 }
  expect(diff).toMatchObject({ collections: [{ collection: 'posts', ...counts }] })
  expect(pulled).toMatchObject({ deleted: 1 })
  expect(await titles(here, 'posts')).toEqual(['changed', 'kept'])
})

test('a collection alone keeps its links to the others, and those that it had to leave follow later', async () => {
  for (const name of ['authors', 'posts']) await there.collections.create({ name })
  const ada = await there.collection('authors').create({ title: 'Ada' })
  await there.collection('posts').create({ title: 'One', author: ada.id })
  await world.json(['pull', 'posts', ...staging])
  const before = await here.collection('posts').list()
  await world.json(['pull', 'authors', ...staging])
  await world.json(['pull', 'posts', ...staging])
  const author = await idOf(here, 'authors', 'Ada')
  const eva = await here.collection('authors').create({ title: 'Eva' })
  await here.collection('posts').create({ title: 'Two', author })
  await here.collection('posts').create({ title: 'Three', author: eva.id })

  await world.json(['push', 'posts', ...staging])
  const two = await there.collection('posts').get(await idOf(there, 'posts', 'Two'))
  await world.json(['push', ...staging])
  const three = await there.collection('posts').get(await idOf(there, 'posts', 'Three'))

  expect(before.items[0]?.data.author).toBe(ada.id)
  expect((await here.collection('posts').get(await idOf(here, 'posts', 'One'))).data.author).toBe(author)
  expect(two.data.author).toBe(ada.id)
  expect(three.data.author).toBe(await idOf(there, 'authors', 'Eva'))
  expect((await world.svc(['diff', '--profile', 'staging'])).exit).toBe(0)
})

test('what a push did is taken back by the file that it names', async () => {
  await there.collections.create({ name: 'posts' })
  await there
    .collection('posts')
    .createMany([{ title: 'one', body: 'old', more: 1 }, { title: 'two', body: 'old' }, { title: 'three' }])
  const before = (await there.collection('posts').list()).items.map(({ data }) => data)
  await world.json(['pull', ...staging])
  await here.collection('posts').replace(await idOf(here, 'posts', 'one'), { title: 'one', body: 'new' })
  await here.collection('posts').update(await idOf(here, 'posts', 'two'), { body: 'new', added: true })
  await here.collection('posts').delete(await idOf(here, 'posts', 'three'))
  await here.collection('posts').create({ title: 'mine' })

  const pushed = await world.svc(['push', ...staging, '--delete'])
  const file = /docs batch -f (\S+),/.exec(pushed.stderr)?.[1] ?? ''
  const after = await titles(there, 'posts')
  const undone = await world.svc(['docs', 'batch', '-f', file, ...staging])

  expect(after).toEqual(['mine', 'one', 'two'])
  expect(undone.exit).toBe(0)
  const now = (await there.collection('posts').list()).items.map(({ data }) => data)
  expect(now).toHaveLength(before.length)
  expect(now).toEqual(expect.arrayContaining(before))
})

test('svc undo takes a pull back, and the next one brings everything again', async () => {
  await there.collections.create({ name: 'posts' })
  await here.collections.create({ name: 'posts' })
  await here.collection('posts').create({ title: 'mine' })
  await there.collection('posts').create({ title: 'theirs' })
  await world.json(['pull', ...staging])

  await world.svc(['undo', '--yes'])
  const undone = await titles(here, 'posts')
  await world.json(['pull', ...staging])

  expect(undone).toEqual(['mine'])
  expect(await titles(here, 'posts')).toEqual(['mine', 'theirs'])
})

test('a pull that was killed before it knew what it had created creates nothing twice', async () => {
  await there.collections.create({ name: 'posts' })
  const one = await there.collection('posts').create({ title: 'One' })
  await there.collection('posts').create({ title: 'Two', next: one.id })
  await here.collections.create({ name: 'posts' })
  await world.json(['pull', ...staging])
  // As a kill -9 leaves it between the answer and the disk, where no link is written yet.
  await here.collection('posts').update(await idOf(here, 'posts', 'Two'), { next: one.id })
  const folder = join(world.folder, 'config', 'pairs')
  for (const name of readdirSync(folder))
    writeFileSync(join(folder, name), `${readFileSync(join(folder, name), 'utf8').split('\n', 1)[0]}\n{"local`)

  const again = await world.json(['pull', ...staging])

  expect(again).toMatchObject({ created: 0, updated: 1, refused: [] })
  expect(await titles(here, 'posts')).toEqual(['One', 'Two'])
  const linked = await here.collection('posts').get(await idOf(here, 'posts', 'Two'))
  expect(linked.data.next).toBe(await idOf(here, 'posts', 'One'))
  expect((await world.svc(['diff', '--profile', 'staging'])).exit).toBe(0)
})

test('a push keeps what takes back the newest 20 of that service', async () => {
  await here.collections.create({ name: 'posts' })
  await here.collection('posts').create({ title: 'One' })
  const push = async () => ((await world.json(['push', ...staging])) as { takenBackBy: string }).takenBackBy
  const first = await push()
  const folder = dirname(first)
  const service = basename(first).slice(0, -'-2026-01-01T00-00-00-000Z.ndjson'.length)
  const former = Array.from({ length: 25 }, (_, at) => `${service}-2026-01-01T00-00-${10 + at}-000Z.ndjson`).map(
    (name) => join(folder, name),
  )
  const others = [`${service}-2`, 'other'].map((name) => join(folder, `${name}-2025-01-01T00-00-00-000Z.ndjson`))
  for (const path of [...former, ...others]) writeFileSync(path, '')
  await here.collection('posts').create({ title: 'Two' })

  const second = await push()

  const kept = readdirSync(folder).map((name) => join(folder, name))
  expect(kept.sort()).toEqual([...former.slice(7), ...others, first, second].sort())
})

test('--by pairs documents that both sides had before, and refuses a field that identifies none', async () => {
  for (const client of [here, there]) {
    await client.collections.create({ name: 'posts' })
    await client.collection('posts').createMany([
      { title: 'one', kind: 'a' },
      { title: 'two', kind: 'a' },
    ])
  }

  const alone = await world.json(['diff', '--profile', 'staging'])
  const paired = await world.json(['diff', '--profile', 'staging', '--by', 'title'])
  const ambiguous = await world.svc(['pull', ...staging, '--by', 'kind'])

  expect(alone).toMatchObject({ collections: [{ same: 0, onlyHere: 2, onlyThere: 2 }] })
  expect(paired).toMatchObject({ isSame: true, collections: [{ same: 2, ...nothing }] })
  expect(ambiguous).toMatchObject({
    exit: 5,
    stderr: expect.stringContaining('more than one document whose "kind" is "a"'),
  })
})

test('what the other side refuses is listed, and keeps nothing else out', async () => {
  await there.collections.create({ name: 'posts', schema: { views: { type: 'number' } } })
  await here.collections.create({ name: 'posts' })
  await here
    .collection('posts')
    .createMany([{ title: 'good', views: 1 }, { title: 'bad', views: 'many' }, { title: 'fine' }])

  const ran = await world.svc(['push', ...staging])

  expect(ran.exit).toBe(5)
  expect(ran.stderr).toContain(`posts/${await idOf(here, 'posts', 'bad')}`)
  expect(await titles(there, 'posts')).toEqual(['fine', 'good'])
})

test('both commands need an emulator and another service, and a yes', async () => {
  await there.collections.create({ name: 'posts' })

  const itself = await world.svc(['pull', '--url', dev.url])
  const unasked = await world.svc(['pull', '--profile', 'staging'])
  const unknown = await world.svc(['push', 'nowhere', ...staging])
  rmSync(join(world.folder, '.svc'), { recursive: true })
  const stopped = await world.svc(['push', ...staging])

  expect(itself).toMatchObject({ exit: 2, stderr: expect.stringContaining('Choose the service to compare') })
  expect(unasked).toMatchObject({ exit: 2, stderr: expect.stringContaining('Confirm it with --yes') })
  expect(unknown).toMatchObject({ exit: 4, stderr: expect.stringContaining('"nowhere"') })
  expect(stopped.exit).toBe(8)
  expect(await there.collections.list()).toHaveLength(1)
})
