/** `svc tail --all`: everything that happens in the emulator. */
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { execa } from 'execa'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createClient } from '../../../client/index.js'
import { bin, cleanEnv, type Dev, openWorld, type World } from '../command-line.js'
import { emulatorFile } from '../emulator-file.js'

let world: World
let dev: Dev

beforeAll(async () => {
  world = await openWorld()
  dev = await world.dev('--memory')
  await createClient(dev).collections.create({ name: 'posts' })
})
afterAll(() => world.close())

/** Starts it, and answers once it is connected; `ran` is its output when it has ended. */
async function startTail(...words: string[]) {
  const child = execa(process.execPath, [bin, 'tail', '--all', ...words], {
    cwd: world.folder,
    env: cleanEnv(world.folder),
    extendEnv: false,
    reject: false,
  })
  await once(words.includes('--json') ? child.stdout : child.stderr, 'data')
  return { child, ran: async () => (await child).stdout.split('\n') }
}

test('svc tail --all shows documents with what changed, and requests that were refused with why', async () => {
  const posts = createClient(dev).collection('posts')
  const tail = await startTail('--only', 'document', '--max', '2')
  const refused = await startTail('--only', 'request', '--max', '1')

  const { id } = await posts.create({ title: 'Tea', views: 1 })
  await posts.update(id, { views: 2 })
  await posts.get('missing').catch(() => undefined)

  const lines = [...(await tail.ran()), ...(await refused.ran())]
  expect(lines.map((line) => line.replace(/^\d\d:\d\d:\d\d /, ''))).toEqual([
    ` document.created         posts  ${id}  version 1`,
    '          + title: "Tea"',
    '          + views: 1',
    ` document.updated         posts  ${id}  version 2`,
    '          - views: 1',
    '          + views: 2',
    ' request.refused          GET /collections/posts/missing  404  NOT_FOUND  No document "missing" in "posts".',
  ])
})

test('svc tail --all --json says that it listens, then each event on a line', async () => {
  const tail = await startTail('--only', 'clock', '--max', '1', '--json')

  await world.svc(['clock', 'advance', '1m'])
  const lines = (await tail.ran()).map((line) => JSON.parse(line))

  expect(lines).toEqual([
    { type: 'ready', url: dev.url },
    {
      ...{ type: 'event', kind: 'clock.moved', projectId: null, id: expect.any(String), at: expect.any(String) },
      clock: { now: expect.any(String), offset: 60_000 },
    },
  ])
})

test('svc tail --all --last begins with what has happened', async () => {
  await world.svc(['clock', 'advance', '2m'])
  await world.svc(['clock', 'reset'])
  await world.svc(['users', 'signup', 'ada@example.com', '--password', 'Correct4Horse'])

  const { stdout, exit } = await world.svc(['tail', '--all', '--only', 'clock', '--last', '2', '--max', '2'])

  expect(exit).toBe(0)
  expect(stdout).toMatch(/^\S+ {2}clock\.moved .*\n\S+ {2}clock\.reset .*\n$/)
})

test.each([
  [['posts'], 2, '--all cannot be combined with collections'],
  [['--only', 'letters'], 2, 'must be a list, separated by commas, of document, collection'],
  [['--where', 'a=1'], 2, '--where'],
])('svc tail --all %j is refused', async (words, exit, said) => {
  const ran = await world.svc(['tail', '--all', ...words])

  expect(ran.exit).toBe(exit)
  expect(ran.stderr).toContain(said)
})

test('svc tail --all goes on with an emulator that comes back, wherever it listens, and says what it cannot know', async () => {
  const own = await openWorld()
  const first = await own.dev('--memory')
  const child = execa(process.execPath, [bin, 'tail', '--all', '--json'], {
    ...{ cwd: own.folder, env: cleanEnv(own.folder), extendEnv: false, reject: false },
  })
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  const next = async () => JSON.parse((await lines.next()).value ?? 'null')
  const ready = await next()

  await first.stop()
  const lost = await next()
  const second = await own.dev('--memory')
  const back = [await next(), await next()]
  await createClient(second).collections.create({ name: 'posts' })
  const event = await next()
  child.kill('SIGINT')

  expect([ready.type, lost]).toEqual(['ready', { type: 'lost' }])
  expect(back).toMatchObject([{ type: 'back' }, { kind: 'stream.missed', stream: { missed: null } }])
  expect(event).toMatchObject({ kind: 'collection.created', collection: { name: 'posts' } })
  expect((await child).exitCode).toBe(130)
  await own.close()
})

test('svc tail --all --timeout ends in time where the emulator does not answer', async () => {
  const own = await openWorld()
  const silent = createServer().listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`
  mkdirSync(join(own.folder, '.svc'))
  writeFileSync(join(own.folder, '.svc', 'emulator.json'), JSON.stringify(emulatorFile({ url })))

  const { exit, stderr } = await own.svc(['tail', '--all', '--timeout', '1s'])

  expect({ exit, stderr }).toEqual({
    exit: 7,
    stderr: expect.stringContaining(`Could not listen to the events of ${url} within 1 s.`),
  })
  silent.closeAllConnections()
  silent.close()
  await own.close()
})
