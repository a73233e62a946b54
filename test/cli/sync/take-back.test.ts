/** Tests the undo of a push that was carried out only in part. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { execa } from 'execa'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { endsByItself } from '../../fixtures/patience.js'
import { openHoldingProxy } from '../../fixtures/proxies/holding-proxy.js'
import { bin, cleanEnv } from '../command-line.js'
import { idOf, openTwoServices, staging, type TwoServices } from './two-services.js'

let two: TwoServices
let world: TwoServices['world']
let here: TwoServices['here']
let there: TwoServices['there']

beforeEach(async () => {
  two = await openTwoServices()
  ;({ world, here, there } = two)
})
afterEach(() => two.close())

const titles = async () => (await there.collection('posts').list()).items.map(({ data }) => data.title).sort()
const fileOf = (said: string) => /docs batch -f (\S+),/.exec(said)?.[1] ?? ''

/** One document that was changed here since it was pulled, and two that were deleted. */
async function changeOneAndDeleteTwo(): Promise<void> {
  await here.collection('posts').update(await idOf(here, 'posts', 'changed'), { body: 'new' })
  for (const title of ['one', 'two']) await here.collection('posts').delete(await idOf(here, 'posts', title))
}

test.each([
  ['', []],
  [' with --quiet', ['--quiet']],
  [' with --json', ['--json']],
])(
  'a push%s whose deletions are refused is taken back without a second copy of what it did not delete',
  async (_, how) => {
    await there.collections.create({ name: 'posts', permissions: { delete: ['editor'] } })
    await there.collection('posts').createMany([{ title: 'changed', body: 'old' }, { title: 'one' }, { title: 'two' }])
    await world.json(['pull', ...staging])
    await changeOneAndDeleteTwo()

    const pushed = await world.svc(['push', ...staging, '--delete', '--key', two.publicKey, ...how])
    const undone = await world.json(['docs', 'batch', '-f', fileOf(pushed.stdout + pushed.stderr), ...staging])

    expect(pushed.exit).toBe(3)
    expect(undone).toMatchObject({ created: 0, replaced: 1, refused: 0 })
    expect(await titles()).toEqual(['changed', 'one', 'two'])
  },
)

test('what another client has deleted by the turn of a push is not brought back when the push is taken back', async () => {
  await there.collections.create({ name: 'posts' })
  await there.collection('posts').createMany([{ title: 'changed', body: 'old' }, { title: 'one' }, { title: 'two' }])
  const proxy = await openHoldingProxy(two.url, 0)
  onTestFinished(() => proxy.close())
  await world.svc(['profiles', 'add', 'proxied', '--url', proxy.url, '--key', two.secretKey])
  await world.json(['pull', '--profile', 'proxied', '--yes'])
  await changeOneAndDeleteTwo()

  const pushing = execa(process.execPath, [bin, 'push', '--profile', 'proxied', '--yes', '--delete'], {
    ...{ cwd: world.folder, env: cleanEnv(world.folder), extendEnv: false, reject: false },
    ...endsByItself,
  })
  await proxy.held
  await there.collection('posts').delete(await idOf(there, 'posts', 'two'))
  proxy.release()
  const pushed = await pushing
  const left = await titles()
  const undone = await world.json(['docs', 'batch', '-f', fileOf(pushed.stderr), ...staging])

  expect(left).toEqual(['changed'])
  expect(undone).toMatchObject({ created: 1, replaced: 1, refused: 0 })
  expect(await titles()).toEqual(['changed', 'one'])
})

test('what a push created is deleted only while it is as the push wrote it', async () => {
  for (const side of [here, there]) {
    await side.collections.create({ name: 'posts', schema: { status: { type: 'string', default: 'draft' } } })
  }
  await here.collection('posts').createMany([{ title: 'mine' }, { title: 'edited' }, { title: 'gone' }])

  const pushed = await world.svc(['push', ...staging, '--quiet'])
  const edited = await idOf(there, 'posts', 'edited')
  await there.collection('posts').update(edited, { body: 'theirs' })
  await there.collection('posts').delete(await idOf(there, 'posts', 'gone'))
  const undone = await world.svc(['docs', 'batch', '-f', fileOf(pushed.stderr), ...staging])

  expect(undone.exit).toBe(5)
  expect(undone.stderr.match(/:\d+ {2}was .*/g)).toEqual([
    expect.stringMatching(/^:\d+ {2}was changed in the meantime$/),
  ])
  const left = (await there.collection('posts').list()).items
  expect(left.map(({ data }) => data)).toEqual([{ title: 'edited', status: 'draft', body: 'theirs' }])
})

test('what a push created and then linked is taken back without a refusal', async () => {
  await here.collections.create({ name: 'posts' })
  const one = await here.collection('posts').create({ title: 'one' })
  const other = await here.collection('posts').create({ title: 'two', next: one.id })
  await here.collection('posts').update(one.id, { next: other.id })

  const pushed = await world.svc(['push', ...staging])
  const undone = await world.json(['docs', 'batch', '-f', fileOf(pushed.stderr), ...staging])

  expect(pushed.exit).toBe(0)
  expect(undone).toMatchObject({ deleted: 2, refused: 0 })
  expect(await titles()).toEqual([])
})

test('a line that creates is left out while the document that it names is there', async () => {
  await there.collections.create({ name: 'posts' })
  const posts = there.collection('posts')
  const [kept, gone] = await posts.createMany([{ title: 'kept' }, { title: 'gone' }])
  await posts.delete(gone?.id ?? '')
  const lines = [
    { op: 'create', data: { title: 'kept' }, unless: kept?.id },
    { op: 'create', data: { title: 'gone' }, unless: gone?.id },
    // In the order of the file: it goes away first, and comes back.
    { op: 'delete', id: kept?.id },
    { op: 'create', data: { title: 'back' }, unless: kept?.id },
  ]
  const write = (name: string, all: readonly object[]) =>
    writeFileSync(join(world.folder, name), all.map((line) => `${JSON.stringify(line)}\n`).join(''))
  write('lines.ndjson', lines)
  write('wrong.ndjson', [
    { op: 'delete', id: kept?.id, unless: 'x' },
    { op: 'create', data: {}, unless: 1 },
  ])

  const done = await world.json(['docs', 'batch', 'posts', '-f', 'lines.ndjson', ...staging])
  const wrong = await world.svc(['docs', 'batch', 'posts', '-f', 'wrong.ndjson', ...staging])

  expect(done).toMatchObject({ created: 2, deleted: 1, refused: 0 })
  expect(await titles()).toEqual(['back', 'gone'])
  expect(wrong.exit).toBe(5)
  expect(wrong.stderr).toContain('wrong.ndjson:1  a delete takes no "unless"\n')
  expect(wrong.stderr).toContain('wrong.ndjson:2  "unless" is not an id\n')
})
