/** `svc pull`, `svc push` and `svc diff` between the emulator of a folder and `svc serve`, which has no control API for them. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { type Client, createClient } from '../../client/index.js'
import { openWorld, type World } from '../cli/command-line.js'
import { openServeWorld, type ServedProject, type ServeWorld, type Serving } from '../fixtures/serve.js'

let serve: ServeWorld
let serving: Serving
let world: World
let here: Client
beforeAll(async () => {
  ;[serve, world] = await Promise.all([openServeWorld(), openWorld()])
  serving = await serve.start()
  const { url } = await world.dev('--memory')
  const apiKey = (await world.svc(['project', 'key', '--secret'])).stdout.trim()
  here = createClient({ url, apiKey })
})
afterAll(async () => {
  await world.close()
  await serve.close()
})

let project: ServedProject
let there: Client
beforeEach(async () => {
  for (const { name } of await here.collections.list()) await here.collections.delete(name)
  project = await serving.newProject()
  there = project.owner
})

/** The flags of a key of the project that is good for these scopes. */
async function keyFor(...scopes: string[]): Promise<string[]> {
  const body = { secret: true, name: scopes.join(), scopes }
  const { key } = await serving.admin<{ key: string }>('POST', `/projects/${project.id}/keys`, body)
  return ['--url', serving.url, '--key', key, '--yes']
}

const asOwner = () => ['--url', serving.url, '--key', project.secretKey, '--yes']

const undoFiles = () => {
  try {
    return readdirSync(join(world.folder, 'config', 'pushes'))
  } catch {
    return []
  }
}

async function titles(client: Client): Promise<string[]> {
  const found: string[] = []
  for await (const { data } of client.collection('posts').iterate()) found.push(String(data.title))
  return found.sort()
}

it('a key that reads suffices for pull and diff; a push by it is refused, and leaves nothing to take back', async () => {
  await there.collections.create({ name: 'posts' })
  await there.collection('posts').createMany([{ title: 'One' }, { title: 'Two' }])
  const reading = await keyFor('read')

  const different = await world.svc(['diff', ...withoutYes(reading)])
  const pulled = await world.json(['pull', ...reading])
  const same = await world.svc(['diff', ...withoutYes(reading)])
  const [one] = (await here.collection('posts').list({ where: { title: 'One' } })).items
  await here.collection('posts').update(one?.id ?? '', { title: 'Changed' })
  const refused = await world.svc(['push', ...reading])

  expect([different.exit, same.exit]).toEqual([10, 0])
  expect(pulled).toMatchObject({ created: 2, refused: [] })
  expect([refused.exit, refused.stderr]).toEqual([3, expect.stringContaining('do not include "write" in "posts"')])
  expect(refused.stderr).not.toContain('take it back')
  expect(undoFiles()).toEqual([])
  expect(await titles(there)).toEqual(['One', 'Two'])
})

it('a key of one collection keeps the references to another, which it is not shown', async () => {
  await there.collections.create({ name: 'authors' })
  await there.collections.create({ name: 'posts' })
  const author = await there.collection('authors').create({ name: 'Ada' })
  await there.collection('posts').create({ title: 'One', author: author.id })
  await world.json(['pull', ...asOwner()])
  const narrow = await keyFor('read:posts', 'write:posts')

  const same = await world.svc(['diff', 'posts', ...withoutYes(narrow)])
  const [one] = (await here.collection('posts').list()).items
  await here.collection('posts').update(one?.id ?? '', { title: 'Changed here' })
  await here.collection('posts').create({ title: 'New', author: one?.data.author ?? null })
  const pushed = await world.json(['push', 'posts', ...narrow])
  const all = await world.svc(['push', ...narrow])
  const named = await world.svc(['push', 'posts', 'authors', ...narrow])

  expect(same.exit).toBe(0)
  expect(pushed).toMatchObject({ created: 1, updated: 1, refused: [] })
  const documents = (await there.collection('posts').list()).items.map(({ data }) => data)
  expect(documents).toHaveLength(2)
  expect(documents).toEqual(
    expect.arrayContaining([
      { title: 'Changed here', author: author.id },
      { title: 'New', author: author.id },
    ]),
  )
  expect(all).toMatchObject({ exit: 0, stderr: expect.stringContaining('no longer shows "authors"') })
  expect(all.stderr).toContain('To create them again, name them or pass --force.')
  expect(named).toMatchObject({ exit: 3, stderr: expect.stringContaining('do not include "admin" in "authors"') })
  expect(named.stderr).toMatch(/To push only the existing collections: svc push posts --url http:\S+\n/)
})

it('a push that a rate limit stops, wherever it is, goes on where it was', async () => {
  const wanted = await manyPosts()
  const exits = []

  for (let requests = 2; exits.at(-1) !== 0; requests += 2) {
    await allow(requests)
    exits.push((await world.svc(['push', ...asOwner()])).exit)
  }

  expect(exits.slice(0, -1)).toEqual(Array(exits.length - 1).fill(6))
  expect(exits.length).toBeGreaterThan(1)
  await setLimit('off')
  expect(await titles(there)).toEqual(wanted)
  expect((await world.svc(['diff', ...withoutYes(asOwner())])).exit).toBe(0)
})

it('a push while the database ends its sessions creates each document once', async () => {
  const wanted = await manyPosts()
  let exit = -1
  let isOver = false
  const client = new pg.Client({ connectionString: serve.postgres.url })
  await client.connect()

  const ending = (async () => {
    while (!isOver) {
      await client.query(
        'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
      )
    }
  })()
  await world.svc(['push', ...asOwner()])
  isOver = true
  await ending.finally(() => client.end())
  for (let tries = 0; exit !== 0 && tries < 20; tries++) exit = (await world.svc(['push', ...asOwner()])).exit

  expect(await titles(there)).toEqual(wanted)
  expect((await world.svc(['diff', ...withoutYes(asOwner())])).exit).toBe(0)
})

const withoutYes = (words: readonly string[]) => words.filter((word) => word !== '--yes')

/** More documents than one request creates; their titles. */
async function manyPosts(): Promise<string[]> {
  const wanted = Array.from({ length: 700 }, (_, at) => `Post ${at}`).sort()
  await here.collections.create({ name: 'posts' })
  await here.collection('posts').createMany(wanted.map((title) => ({ title })))
  return wanted
}

/** Has the project take so many requests more within the day. */
async function allow(requests: number): Promise<void> {
  const most = 1_000_000
  await setLimit({ day: most })
  const { headers } = await fetch(`${serving.url}/collections`, { headers: { 'x-api-key': project.secretKey } })
  await setLimit({ day: most - Number(headers.get('x-ratelimit-remaining')) + requests })
}

async function setLimit(rateLimit: 'off' | { day: number }): Promise<void> {
  await serving.admin('PATCH', `/projects/${project.id}`, { settings: { rateLimit } })
}
