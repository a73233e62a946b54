/** Links between documents, as a pull and a push write them, count them and take them back. */
import { execa } from 'execa'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import type { Client } from '../../../client/index.js'
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

/** Two documents that refer to each other, and one to itself. */
async function createCircle(client: Client, name: string): Promise<void> {
  const one = await client.collection(name).create({ title: 'One' })
  const two = await client.collection(name).create({ title: 'Two', next: one.id, all: [{ id: one.id }] })
  await client.collection(name).update(one.id, { next: two.id, self: one.id })
}

async function expectCircle(client: Client, name: string): Promise<void> {
  const [one, two] = [await idOf(client, name, 'One'), await idOf(client, name, 'Two')]
  expect((await client.collection(name).get(one)).data).toEqual({ title: 'One', next: two, self: one })
  expect((await client.collection(name).get(two)).data).toEqual({ title: 'Two', next: one, all: [{ id: one }] })
}

test.each(['pull', 'push'])('one %s brings the links between documents that it creates at once', async (command) => {
  const [source, target] = command === 'pull' ? [there, here] : [here, there]
  await source.collections.create({ name: 'posts' })
  await createCircle(source, 'posts')

  const done = await world.json([command, ...staging])
  await expectCircle(target, 'posts')
  const different = await world.svc(['diff', '--profile', 'staging'])
  const again = await world.json([command, ...staging])

  expect(done).toMatchObject({ created: 2, updated: 0, refused: [] })
  expect(different.exit).toBe(0)
  expect(again).toMatchObject({ created: 0, updated: 0 })
})

test('links that follow later are counted and asked for, and svc undo takes them back', async () => {
  for (const name of ['authors', 'posts']) await there.collections.create({ name })
  const ada = await there.collection('authors').create({ title: 'Ada' })
  await there.collection('posts').create({ title: 'One', author: ada.id })
  for (const name of ['posts', 'authors']) await world.json(['pull', name, ...staging])
  const authorOf = async () => (await here.collection('posts').get(await idOf(here, 'posts', 'One'))).data.author

  const unasked = await world.svc(['pull', 'posts', '--profile', 'staging'])
  const before = await authorOf()
  const pulled = await world.json(['pull', 'posts', ...staging])
  const linked = await authorOf()
  await world.svc(['undo', '--yes'])
  const undone = await authorOf()
  await world.json(['pull', 'posts', ...staging])
  const nothing = await world.svc(['pull', 'posts', ...staging])

  expect(unasked).toMatchObject({ exit: 2, stderr: expect.stringContaining('Confirm it with --yes') })
  expect(before).toBe(ada.id)
  expect(pulled).toMatchObject({ created: 0, updated: 1, collections: [{ collection: 'posts', update: 1 }] })
  expect(linked).toBe(await idOf(here, 'authors', 'Ada'))
  expect(undone).toBe(ada.id)
  expect(await authorOf()).toBe(linked)
  expect(nothing.stderr).toContain('There is nothing to pull.')
})

test('what was pulled or pushed alone is linked by the first pull or push of both, which counts it', async () => {
  for (const name of ['authors', 'posts']) await there.collections.create({ name })
  const ada = await there.collection('authors').create({ title: 'Ada' })
  await there.collection('posts').create({ title: 'One', author: ada.id })
  await world.json(['pull', 'posts', ...staging])

  const pulled = await world.json(['pull', ...staging])
  const eva = await here.collection('authors').create({ title: 'Eva' })
  await here.collection('posts').create({ title: 'Two', author: eva.id })
  await world.json(['push', 'posts', ...staging])
  const nothing = await world.json(['push', 'posts', ...staging])
  const pushed = await world.json(['push', ...staging])

  const authorOf = async (client: Client, title: string) =>
    (await client.collection('posts').get(await idOf(client, 'posts', title))).data.author
  expect(pulled).toMatchObject({ created: 1, updated: 1 })
  expect(await authorOf(here, 'One')).toBe(await idOf(here, 'authors', 'Ada'))
  expect(nothing).toMatchObject({ created: 0, updated: 0 })
  expect(pushed).toMatchObject({ created: 1, updated: 1 })
  expect(await authorOf(there, 'Two')).toBe(await idOf(there, 'authors', 'Eva'))
})

test('what was deleted here is created again once, and the links to it follow', async () => {
  await there.collections.create({ name: 'posts' })
  await createCircle(there, 'posts')
  await world.json(['pull', ...staging])
  await here.collection('posts').delete(await idOf(here, 'posts', 'One'))

  const pulled = await world.json(['pull', ...staging])
  const again = await world.json(['pull', ...staging])

  expect(pulled).toMatchObject({ created: 1, updated: 1 })
  expect(again).toMatchObject({ created: 0, updated: 0 })
  await expectCircle(here, 'posts')
  expect((await here.collection('posts').list()).items).toHaveLength(2)
})

test('links are not written over what another client has changed in a new document meanwhile', async () => {
  for (const name of ['one', 'two']) {
    for (const side of [here, there]) await side.collections.create({ name })
    await createCircle(here, name)
  }
  const proxy = await openHoldingProxy(two.url, 1)
  onTestFinished(() => proxy.close())
  await world.svc(['profiles', 'add', 'proxied', '--url', proxy.url, '--key', two.secretKey])

  const pushing = execa(process.execPath, [bin, 'push', '--profile', 'proxied', '--yes'], {
    ...{ cwd: world.folder, env: cleanEnv(world.folder), extendEnv: false, reject: false },
    ...endsByItself,
  })
  await proxy.held
  const first = (await there.collection('one').count()) > 0 ? 'one' : 'two'
  const id = await idOf(there, first, 'One')
  await there.collection(first).update(id, { next: 'theirs' })
  proxy.release()
  const { exitCode, stderr } = await pushing

  expect(exitCode).toBe(5)
  expect(stderr).toContain(`${first}/${await idOf(here, first, 'One')}  was changed in the meantime`)
  expect((await there.collection(first).get(id)).data.next).toBe('theirs')
  expect((await there.collection(first).get(await idOf(there, first, 'Two'))).data.next).toBe(id)
})
