/** `svc serve` over the real wire: what it refuses, a journey, two processes. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createClient } from '../../client/index.js'
import { aSubscriber, overEventStream, overWebSocket } from '../fixtures/realtime/subscriber.js'
import { openServeWorld, type ServeWorld, type Serving } from '../fixtures/serve.js'

let world: ServeWorld
beforeAll(async () => {
  world = await openServeWorld()
})
afterAll(() => world.close())

describe('it refuses to start', () => {
  it.each([
    ['without a database', [], { SVC_DATABASE_URL: undefined }, 2, 'Set SVC_DATABASE_URL'],
    ['without a place for files', [], { SVC_FILES_URL: undefined }, 2, 'Set SVC_FILES_URL'],
    ['without a secret', [], { SVC_SECRET: undefined }, 1, 'svc serve keys'],
    ['with a secret that could be guessed', [], { SVC_SECRET: 'short' }, 1, 'svc serve keys'],
    ['with a token that opens nothing', [], {}, 1, 'Add --admin-port'],
    ['with a folder for several processes', ['--workers', '2'], { SVC_FILES_URL: 'file:///tmp' }, 1, 's3://'],
    ['for others without an address that they know', ['--host', '0.0.0.0'], {}, 1, '--public-url'],
    ['with a file that is not there', [], { SVC_SECRET: undefined, SVC_SECRET_FILE: '/none' }, 4, '/none'],
    ['with a secret twice', [], { SVC_SECRET_FILE: '/none' }, 2, 'Leave one of them out'],
  ] as const)('%s', async (_, words, env, exit, hint) => {
    const hasAdminPort = !hint.includes('--admin-port')

    const ran = await world.run(
      [...words, '--port', '0', ...(hasAdminPort ? ['--admin-port', '0'] : []), '--json'],
      env,
    )

    expect([ran.exit, ran.stderr + ran.stdout]).toEqual([exit, expect.stringContaining(hint)])
  })
})

it('its keys are what it starts with', async () => {
  const { stdout } = await world.run(['keys'])
  const env = Object.fromEntries(
    stdout
      .trim()
      .split('\n')
      .map((line) => line.split('=')),
  )

  expect(Object.keys(env)).toEqual(['SVC_SECRET', 'SVC_ADMIN_TOKEN'])
  expect(env.SVC_SECRET.length).toBeGreaterThanOrEqual(43)
  expect(env.SVC_SECRET).not.toBe(env.SVC_ADMIN_TOKEN)
})

describe('two processes on one database and one bucket', () => {
  let here: Serving
  let there: Serving
  beforeAll(async () => {
    ;[here, there] = await Promise.all([world.start(), world.start()])
  })

  it('have projects, documents, users, files and events in common', async () => {
    const { apiKey, owner } = await here.newProject()
    const away = createClient({ url: there.url, apiKey })
    await owner.collections.create({ name: 'posts' })
    const subscribers = await Promise.all(
      [overWebSocket, overEventStream].map((over) =>
        aSubscriber(over, { url: there.url, apiKey, collection: 'posts' }),
      ),
    )

    const post = await owner.collection('posts').create({ title: 'Hello' })
    const file = await owner.files.upload(new Blob(['Hello']), { name: 'a.txt' })
    await createClient({ url: here.url, apiKey }).auth.signUp({ email: 'ada@example.com', password: 'Correct horse 1' })
    const login = await away.auth.logIn({ email: 'ada@example.com', password: 'Correct horse 1' })

    for (const { heard, untilHeard, stop } of subscribers) {
      await untilHeard(1)
      expect(heard[0]?.document.id).toBe(post.id)
      await stop()
    }
    expect(await away.collection('posts').get(post.id)).toMatchObject({ data: { title: 'Hello' } })
    expect(login).toMatchObject({ user: { email: 'ada@example.com' } })
    expect(await (await away.files.download(file)).text()).toBe('Hello')
    expect(await world.bucket.objects()).toHaveLength(1)
  })
})
