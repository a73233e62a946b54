/** `svc trigger` writes what causes an event. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Client, createClient } from '../../../client/index.js'
import { openWorld, type World } from '../command-line.js'

let world: World
let client: Client

beforeAll(async () => {
  world = await openWorld()
  const { url, secretKey } = await world.useEmulator()
  client = createClient({ url, apiKey: secretKey })
  await client.collections.create({ name: 'posts' })
})
afterAll(() => world.close())

const posts = () => client.collection('posts')

test('created takes the fields of a file, and without one copies the newest document', async () => {
  const first = await world.svc(['trigger', 'posts.created', '--from', '-', '--json'], { input: '{"title":"Tea"}' })
  const copy = await world.json(['trigger', 'posts.created'])

  expect(JSON.parse(first.stdout)).toMatchObject({ event: 'posts.created', version: 1, data: { title: 'Tea' } })
  expect(copy).toMatchObject({ data: { title: 'Tea' } })
  expect((await posts().list()).total).toBe(2)
})

test('updated changes the newest document, or the one with the id', async () => {
  const old = await posts().create({ title: 'Old' })
  const newest = await posts().create({ title: 'Newest' })

  const touched = await world.json(['trigger', 'posts.updated'])
  const changed = await world.svc(['trigger', 'posts.updated', old.id, '--from', '-'], { input: '{"title":"Changed"}' })

  expect(touched).toMatchObject({ id: newest.id, version: 2, data: { title: 'Newest' } })
  expect(changed.stdout).toBe(`posts.updated  ${old.id}\n`)
  expect((await posts().get(old.id)).data.title).toBe('Changed')
})

test('deleted deletes the document', async () => {
  const { id } = await posts().create({ title: 'Gone' })

  expect(await world.json(['trigger', 'posts.deleted', id])).toEqual({ event: 'posts.deleted', id })
  await expect(posts().get(id)).rejects.toMatchObject({ code: 'NOT_FOUND' })
})

test.each([
  [['posts.published'], 'Invalid event "posts.published".'],
  [['created'], 'Invalid event "created".'],
  [['posts.deleted'], 'Name the document to delete.'],
  [['posts.created', 'x'], 'A new document gets its id from the service.'],
])('svc trigger %j exits with 2', async (words, said) => {
  const { exit, stderr } = await world.svc(['trigger', ...words])

  expect(exit).toBe(2)
  expect(stderr).toContain(said)
})
