/** State that replicas share: the secret, and failed logins. And how a process ends after an uncaught error. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createClient } from '../../client/index.js'
import { aSubscriber, overWebSocket } from '../fixtures/realtime/subscriber.js'
import { halfAPost } from '../fixtures/requests/half-post.js'
import { openServeWorld, type ServeWorld } from '../fixtures/serve.js'

let world: ServeWorld
beforeAll(async () => {
  world = await openServeWorld()
})
afterAll(() => world.close())

describe('another SVC_SECRET', () => {
  const other = { SVC_SECRET: 'another-secret-that-somebody-has-put-into-one-process' }

  it('is refused until it is rotated, and the former one after that', async () => {
    const first = await world.start()
    const { apiKey } = await first.newProject()
    const credentials = { email: 'ada@example.com', password: 'Correct horse 1' }
    const before = createClient({ url: first.url, apiKey })
    await before.auth.signUp(credentials)
    const { token } = (await (await post(`${first.url}/auth-collections/login`, credentials, apiKey)).json()) as {
      token: string
    }
    const me = (url: string) =>
      fetch(`${url}/auth-collections/me`, { headers: { 'x-api-key': apiKey, authorization: `Bearer ${token}` } }).then(
        ({ status }) => status,
      )
    expect(await me(first.url)).toBe(200)
    await first.stop()

    const refused = await world.run(['--port', '0', '--admin-port', '0'], other)
    const checked = await world.run(['check', '--port', '0', '--admin-port', '0', '--json'], other)
    const rotated = await world.run(['rotate', '--yes', '--json'], other)
    const former = await world.run(['--port', '0', '--admin-port', '0'])

    expect([refused.exit, refused.stderr]).toEqual([
      1,
      expect.stringMatching(/SVC_SECRET differs [\s\S]*svc serve rotate/),
    ])
    expect(refused.stderr).not.toContain(other.SVC_SECRET)
    expect(checked.stdout).toContain('"SECRET_DIFFERENT"')
    expect(JSON.parse(rotated.stdout)).toEqual({ isReplaced: true, stillServing: 0 })
    expect([former.exit, former.stderr]).toEqual([1, expect.stringContaining('SVC_SECRET differs')])
    const next = await world.startWith(other)
    expect(await me(next.url)).toBe(401)
    await next.stop()
    expect(JSON.parse((await world.run(['rotate', '--yes', '--json'])).stdout)).toEqual({
      isReplaced: true,
      stillServing: 0,
    })
  })
})

it('svc serve rotate and resync need what they use alone, and take no flag besides', async () => {
  const alone = { SVC_FILES_URL: undefined, SVC_ADMIN_TOKEN: undefined, SVC_DATABASE_URL: undefined }
  const database = ['--database-url', world.postgres.url, '--yes', '--json']

  const rotated = await world.run(['rotate', ...database], alone)
  const resynced = await world.run(['resync', ...database], { ...alone, SVC_SECRET: undefined })
  const refused = await world.run(['rotate', ...database, '--admin-port', '1'], alone)

  expect(JSON.parse(rotated.stdout)).toEqual({ isReplaced: false, stillServing: 0 })
  expect(JSON.parse(resynced.stdout)).toEqual({ projects: expect.any(Number) })
  expect([resynced.exit, refused.exit]).toEqual([0, 2])
})

it('failed logins at one process count at the other', async () => {
  const [here, there] = await Promise.all([world.start(), world.start()])
  const { apiKey } = await here.newProject()
  const logIn = (url: string, password: string) =>
    createClient({ url, apiKey, retry: { attempts: 1 } })
      .auth.logIn({ email: 'ada@example.com', password })
      .then(
        () => 200,
        ({ status }) => status,
      )
  await createClient({ url: here.url, apiKey }).auth.signUp({ email: 'ada@example.com', password: 'Correct horse 1' })

  const failed = []
  for (let n = 0; n < 10; n++) failed.push(await logIn(n % 2 ? here.url : there.url, 'Wrong horse 1'))
  const afterwards = [await logIn(here.url, 'Correct horse 1'), await logIn(there.url, 'Correct horse 1')]

  expect(failed).toEqual(Array(10).fill(401))
  expect(afterwards).toEqual([429, 429])
  await Promise.all([here.stop(), there.stop()])
})

it.each([
  ['an exception', "throw new Error('a fault')"],
  ['a rejection', "Promise.reject(new Error('a fault'))"],
])(
  '%s that nothing catches takes nothing more, lets requests finish, hands streams over, and ends the process',
  async (_, raise) => {
    const preload = join(world.folder, 'fault.cjs')
    await writeFile(preload, `process.on('SIGUSR2', () => { ${raise} })\n`)
    const serving = await world.startWith({ NODE_OPTIONS: `--require ${preload}` }, '--shutdown-delay', '1h')
    const { apiKey, owner } = await serving.newProject()
    await owner.collections.create({ name: 'posts' })
    const { connection } = await aSubscriber(overWebSocket, { url: serving.url, apiKey, collection: 'posts' })
    const posting = await halfAPost(`${serving.url}/collections/posts`, apiKey, { title: 'Hello' })

    serving.signal('SIGUSR2')

    expect(await connection.closed).toBe(1012)
    posting.finish()
    expect(await posting.status).toBe(201)
    expect((await serving.ended).exit).toBe(1)
    expect(serving.log()).toMatch(/"level":60,.*"msg":"uncaught".*a fault/)
  },
)

const post = (url: string, body: object, apiKey: string) =>
  fetch(url, {
    method: 'POST',
    headers: { 'x-api-key': apiKey, 'content-type': 'application/json', 'svc-dialect': 'b' },
    body: JSON.stringify(body),
  })
