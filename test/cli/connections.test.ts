/** `svc connections`: who subscribes to realtime events, and how to close a connection. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createClient } from '../../client/index.js'
import { type Dev, openWorld, type World } from './command-line.js'

let world: World
let dev: Dev

beforeAll(async () => {
  world = await openWorld()
  dev = await world.dev('--memory')
  await createClient(dev).collections.create({ name: 'posts' })
})
afterAll(() => world.close())

test('svc connections lists who subscribes to what, and closes one, which comes back', async () => {
  const client = createClient({ ...dev, transport: 'sse' })
  const subscription = client.collection('posts').subscribe({ where: { status: 'open' }, onChange: () => undefined })
  await subscription.ready

  const { stdout } = await world.svc(['connections', 'list'])
  const [row = ''] = stdout.split('\n').slice(1)
  const [id = ''] = row.split(' ')
  const closed = await world.json(['connections', 'close', id])

  expect(row).toMatch(/^c\d+ {2}sse {8}key {2}\S+ \S+ {2}posts {7}\{"status":"open"\} +0 +0 {2}\d+ bytes {2}0 bytes$/)
  expect(closed).toEqual({ closed: [id] })
  await expect.poll(() => world.json(['connections', 'list'])).toMatchObject([{ transport: 'sse' }])
  subscription.close()
  await expect.poll(() => world.json(['connections', 'list'])).toEqual([])
})

test('svc connections close --all closes what is open, and that may be nothing', async () => {
  const { stderr, exit } = await world.svc(['connections', 'close', '--all'])

  expect([stderr, exit]).toEqual(['Closed 0 connections.\n', 0])
})

test.each([
  [['c99'], 4, 'No connection "c99" is open.'],
  [[], 2, 'Name one connection, or pass --all.'],
  [['c1', '--all'], 2, 'Name one connection, or pass --all.'],
])('svc connections close %j is refused', async (words, exit, said) => {
  const ran = await world.svc(['connections', 'close', ...words])

  expect(ran.exit).toBe(exit)
  expect(ran.stderr).toContain(said)
})
