/** `svc tail`: what happens to documents, for people and for scripts. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { execa } from 'execa'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createClient } from '../../../client/index.js'
import { endsByItself, patiently } from '../../fixtures/patience.js'
import { bin, cleanEnv, type Dev, openWorld, type World } from '../command-line.js'
import { failure, openFakeService } from '../fake-service.js'

let world: World
let dev: Dev
let number = 0
let posts: string

beforeAll(async () => {
  world = await openWorld()
  dev = await world.dev('--memory')
})
afterAll(() => world.close())

beforeEach(async () => {
  posts = `posts${++number}`
  await createClient(dev).collections.create({ name: posts })
})

/** A document that was created, changed and deleted; the events of it are kept. */
async function aLife(collection: string): Promise<string> {
  const documents = createClient(dev).collection(collection)
  const { id } = await documents.create({ title: 'Tea', views: 1 })
  await documents.update(id, { views: 2 })
  await documents.delete(id)
  return id
}

function linesOf(stdout: string): { type: string; [name: string]: unknown }[] {
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
}

/** Starts it, and answers once it is connected; `events` are its output when it has ended. */
async function startTail(...words: string[]) {
  const child = execa(process.execPath, [bin, 'tail', ...words, '--timeout', '400', '--json'], {
    ...{ cwd: world.folder, env: cleanEnv(world.folder), extendEnv: false, reject: false },
    ...endsByItself,
  })
  const early = child.then(({ stderr }) => {
    throw new Error(`svc tail ended before it was connected: ${stderr}`)
  })
  await Promise.race([once(child.stdout, 'data'), early])
  return { events: async () => linesOf((await child).stdout).slice(1) }
}

test.each(['ws', 'sse'])(
  'svc tail --transport %s --json says that it listens, then each event on a line',
  async (transport) => {
    const id = await aLife(posts)

    const words = ['tail', posts, '--transport', transport, '--since', '0', '--max', '3', '--json']
    const { stdout, stderr, exit } = await world.svc(words)

    const [ready, ...events] = linesOf(stdout)
    expect({ stderr, exit, ready }).toEqual({
      stderr: '',
      exit: 0,
      ready: { type: 'ready', url: dev.url, transport, collections: [posts] },
    })
    expect(
      events.map(({ type, event, collection, id, changed }) => ({ type, event, collection, id, changed })),
    ).toEqual([
      { type: 'event', event: 'created', collection: posts, id, changed: {} },
      { type: 'event', event: 'updated', collection: posts, id, changed: { views: { from: 1, to: 2 } } },
      { type: 'event', event: 'deleted', collection: posts, id, changed: {} },
    ])
    expect(events[1]?.document).toMatchObject({ id, data: { title: 'Tea', views: 2 } })
  },
)

test('svc tail shows what changed, field by field', async () => {
  const id = await aLife(posts)

  const { stdout, stderr, exit } = await world.svc(['tail', posts, '--since', '0', '--max', '3'])

  expect(exit).toBe(0)
  expect(stdout.replaceAll(/^\d\d:\d\d:\d\d/gm, 'HH:MM:SS')).toBe(`HH:MM:SS  created  ${posts}  ${id}
          + title: "Tea"
          + views: 1
HH:MM:SS  updated  ${posts}  ${id}
          - views: 1
          + views: 2
HH:MM:SS  deleted  ${posts}  ${id}
`)
  expect(stderr).toContain(`Listening to ${posts} at ${dev.url}`)
})

test('svc tail --since shows when each event happened, and its day where that is another', async () => {
  const at = new Date('2031-02-03T04:05:06.000Z')
  await world.svc(['clock', 'set', at.toISOString()])
  await aLife(posts)
  await world.svc(['clock', 'reset'])

  const { stdout } = await world.svc(['tail', posts, '--since', '0', '--max', '2', '--events', 'created,deleted'])

  const shown = stdout
    .split('\n')
    .flatMap((line) => /^(\S+ \d\d:\d\d):\d\d {2}(?:created|deleted)/.exec(line)?.[1] ?? [])
  const local = `${at.toLocaleDateString('sv')} ${at.toTimeString().slice(0, 5)}`
  expect(shown).toEqual([local, local])
})

test('svc tail knows what documents were before it began', async () => {
  const documents = createClient(dev).collection(posts)
  const { id } = await documents.create({ title: 'Tea', views: 1 })
  const tail = await startTail(posts, '--max', '1')

  await documents.update(id, { views: 2 })

  const [event] = await tail.events()
  expect([event?.id, event?.changed]).toEqual([id, { views: { from: 1, to: 2 } }])
})

test('svc tail shows only the events and the documents that were asked for', async () => {
  await aLife(posts)

  const asked = ['--where', 'views__gte=2', '--events', 'updated,deleted', '--since', '0', '--max', '2', '--json']
  const { stdout } = await world.svc(['tail', posts, ...asked])

  expect(linesOf(stdout).map(({ event }) => event)).toEqual([undefined, 'updated', 'deleted'])
})

test('svc tail without a collection shows those that are made later, from their first document on', async () => {
  const svc = createClient(dev)
  const tail = await startTail('--max', '2')

  await svc.collections.create({ name: `later${number}` })
  await svc.collection(`later${number}`).createMany([{ n: 1 }, { n: 2 }])

  const events = await tail.events()
  expect(events.map(({ event, collection }) => [event, collection])).toEqual([
    ['created', `later${number}`],
    ['created', `later${number}`],
  ])
})

test('svc tail exits with 7 when too few events come in time', async () => {
  const { stdout, exit } = await world.svc(['tail', posts, '--max', '1', '--timeout', '0', '--json'])

  const [ready, failure] = linesOf(stdout)
  expect(ready?.type).toBe('ready')
  expect(failure).toEqual({
    error: {
      code: 'TIME_OUT',
      message: 'Only 0 of 1 events came within 0 s.',
      hint: null,
      next: expect.any(String),
      exit: 7,
    },
  })
  expect(exit).toBe(7)
})

test.each([
  [['tail', 'post99'], 4, 'No collection "post99".'],
  [['tail', '--forward-to', 'ftp://example.com'], 2, 'Invalid address "ftp://example.com" for --forward-to'],
  [['tail', '--where', 'views__above=1'], 2, 'Unknown filter suffix "__above"'],
  [['tail', '--events', 'born'], 2, 'Expected --events=born to be one of'],
])('svc %j exits with %i', async (words, code, message) => {
  const { exit, stderr } = await world.svc(words)

  expect({ exit, stderr }).toEqual({ exit: code, stderr: expect.stringContaining(message) })
})

const lists = { documents: [], total: 0, limit: 100, offset: 0 }

/** A service that has a collection, and refuses each connection for its events. */
function openRefusing() {
  return openFakeService(({ path }) => {
    if (path.startsWith('/realtime')) return failure(503, 'UNAVAILABLE', 'Not yet.')
    return { body: path === '/collections' ? [{ id: 'x', name: 'posts', document_count: 0 }] : lists }
  })
}

function startAt(url: string) {
  return execa(process.execPath, [bin, 'tail', 'posts', '--url', url, '--key', 'svc_key_x'], {
    ...{ cwd: world.folder, env: cleanEnv(world.folder), extendEnv: false, reject: false, ...endsByItself },
  })
}

test('a tail that waits for a connection, which is refused again and again, ends at the first signal', async () => {
  const refusing = await openRefusing()
  const child = startAt(refusing.url)
  await expect
    .poll(() => refusing.asked.filter(({ path }) => path.startsWith('/realtime')).length, patiently)
    .toBeGreaterThan(1)
  child.kill('SIGTERM')

  expect(await child).toMatchObject({ exitCode: 143, stdout: '' })
  refusing.close()
})

test('a tail that waits for an answer ends at the first signal', async () => {
  const silent = createServer().listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const child = startAt(`http://127.0.0.1:${(silent.address() as AddressInfo).port}`)
  await once(silent, 'request')
  child.kill('SIGTERM')

  expect(await child).toMatchObject({ exitCode: 143, stdout: '' })
  silent.closeAllConnections()
  silent.close()
})

test.each([[[]], [['--max', '1']]])(
  'svc tail --timeout %j ends in time where a connection is refused again and again',
  async (more) => {
    const refusing = await openRefusing()
    const words = ['tail', 'posts', '--url', refusing.url, '--key', 'svc_key_x', '--timeout', '1s', '--json', ...more]
    const { stdout, exit } = await world.svc(words)

    const message = `Could not listen to the events of ${refusing.url} within 1 s.`
    expect({ lines: linesOf(stdout), exit }).toEqual({
      lines: [{ error: { code: 'TIME_OUT', message, hint: null, next: expect.any(String), exit: 7 } }],
      exit: 7,
    })
    refusing.close()
  },
)
