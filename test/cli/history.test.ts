/** `svc docs history`: the versions of a document, and what is different in them. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createClient } from '../../client/index.js'
import { openWorld, type World } from './command-line.js'

let world: World
let id: string

beforeAll(async () => {
  world = await openWorld()
  const client = createClient(await world.useEmulator())
  await client.collections.create({ name: 'posts' })
  const posts = client.collection('posts')
  id = (await posts.create({ title: 'Tea', views: 1 })).id
  await posts.update(id, { views: 2 })
  await posts.update(id, { views: 3, tags: ['new'] })
})
afterAll(() => world.close())

test('svc docs history shows each version with what changed, the newest first', async () => {
  const { stdout, stderr, exit } = await world.svc(['docs', 'history', 'posts', id])

  const rows = stdout.trimEnd().split('\n')
  expect([exit, stderr]).toEqual([0, ''])
  const cells = rows.map((row) => row.trim().split(/ {2,}/))
  expect(cells.map((row) => row.filter((cell) => !/^\d{4}-/.test(cell)))).toEqual([
    ['version', 'seq', 'kind', 'at', 'changed'],
    ['3', '3', 'updated', 'views, tags'],
    ['2', '2', 'updated', 'views'],
    ['1', '1', 'created'],
  ])
})

test('svc docs history --from compares two versions', async () => {
  const { stdout } = await world.svc(['docs', 'history', 'posts', id, '--from', '1'])
  const compared = await world.json(['docs', 'history', 'posts', id, '--to', '2'])

  expect(stdout).toBe('- views: 1\n+ views: 3\n+ tags: ["new"]\n')
  expect(compared).toEqual({ from: 1, to: 2, differences: [{ path: ['views'], before: '1', after: '2' }] })
})

test('svc docs history says that there is more, and goes on there', async () => {
  const { stderr } = await world.svc(['docs', 'history', 'posts', id, '--limit', '1'])
  const rest = (await world.json(['docs', 'history', 'posts', id, '--before', '3'])) as { versions: object[] }

  expect(stderr).toBe('There are more versions. To see them: --before 3\n')
  expect(rest.versions).toMatchObject([{ version: 2 }, { version: 1 }])
})

test.each([
  ['--from', '1', '--limit', '1'],
  ['--to', '2', '--before', '3'],
])('svc docs history %s %s takes no %s: it compares, and lists nothing', async (...flags) => {
  const { stdout, stderr, exit } = await world.svc(['docs', 'history', 'posts', id, ...flags])

  expect([exit, stdout]).toEqual([2, ''])
  expect(stderr).toContain(flags[2])
})

test.each([
  [['posts', '01999999-9999-7999-8999-999999999999'], 'No document "01999999-9999-7999-8999-999999999999" in "posts"'],
  [['nothing', '01999999-9999-7999-8999-999999999999'], 'No collection "nothing".'],
])('svc docs history %j finds nothing', async (words, said) => {
  const { stderr, exit } = await world.svc(['docs', 'history', ...words])

  expect(exit).toBe(4)
  expect(stderr).toContain(said)
})
