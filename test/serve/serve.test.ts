/** `svc serve` over real connections: refusals, a whole session, two processes. */
import { once } from 'node:events'
import { mkdir, readFile, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest'
import { createClient } from '../../client/index.js'
import { patiently } from '../fixtures/patience.js'
import { aSubscriber, overEventStream, overWebSocket } from '../fixtures/realtime/subscriber.js'
import { askAdmin, openServeWorld, type ServeWorld, type Serving } from '../fixtures/serve.js'

let world: ServeWorld
let serving: Serving
/** Another process, behind a proxy and with a mail server. */
let other: Serving
beforeAll(async () => {
  world = await openServeWorld()
  ;[serving, other] = await Promise.all([
    world.start('--shutdown-delay', '0s', '--shutdown-timeout', '1s'),
    world.startWith({ SVC_TRUSTED_PROXIES: '1' }, '--smtp', 'smtp://127.0.0.1:1'),
  ])
})
afterAll(() => world.close())

it('refuses to start without a secret, and says what makes one', async () => {
  const { exit, stderr } = await world.run(['--port', '0'], { SVC_SECRET: undefined, SVC_ADMIN_TOKEN: undefined })

  expect([exit, stderr]).toEqual([1, expect.stringMatching(/SVC_SECRET is not set\.[\s\S]*svc serve keys/)])
})

it('without --json, prints to standard output that it serves and stops, and nothing to standard error', async () => {
  const file = join(world.folder, 'ready.json')
  const ending = world.runAlone(['--port', '0', '--admin-port', '0', '--ready-file', file])
  const { pid } = await vi.waitFor(async () => JSON.parse(await readFile(file, 'utf8')), patiently)
  process.kill(pid, 'SIGTERM')
  const { exit, stdout, stderr } = await ending

  expect([exit, stderr]).toEqual([0, ''])
  expect(stdout).toMatch(/^Serving at .*\nStopping: .*\nStopped\.\n$/)
})

it('ends well where its ready file cannot be removed, and says so', async () => {
  const file = join(world.folder, 'kept.json')
  const ending = world.runAlone(['--port', '0', '--admin-port', '0', '--ready-file', file])
  const { pid } = await vi.waitFor(async () => JSON.parse(await readFile(file, 'utf8')), patiently)
  await rm(file)
  await mkdir(file)
  process.kill(pid, 'SIGTERM')
  const { exit, stdout } = await ending

  expect(exit).toBe(0)
  expect(stdout).toContain(`"${file}" could not be removed and still describes the stopped server`)
  expect(stdout).toMatch(/\nStopped\.\n$/)
})

it('a request by the control token is logged as one, and one without as that of nobody', async () => {
  const before = logged().length

  await serving.newProject()
  await fetch(`${serving.adminUrl}/_svc/api/projects`, { method: 'POST', body: '{}' })

  await vi.waitFor(() => {
    const requests = logged()
      .slice(before)
      .filter(({ route }) => route === '/_svc/api/projects')
    expect(requests).toMatchObject([
      { status: 201, who: 'control token' },
      { status: 401, who: 'nobody' },
    ])
  }, patiently)
})

it('a second factor for everybody takes a mail server: without one, nobody without an authenticator could log in', async () => {
  const { id } = await serving.newProject()
  const set = (at: Serving, settings: object) => askAdmin(at.adminUrl, 'PATCH', `/projects/${id}`, { settings })

  const refused = [
    await set(serving, { require2fa: true }),
    await askAdmin(serving.adminUrl, 'POST', '/projects', { settings: { require2fa: true } }),
  ]
  const texts = await Promise.all(refused.map((response) => response.text()))
  const others = await set(serving, { tokenTtl: 60 })
  const taken = await set(other, { require2fa: true })
  // An existing setting may stay while another one changes.
  const kept = await set(serving, { tokenTtl: 61 })

  expect(refused.map(({ status }) => status)).toEqual([422, 422])
  for (const text of texts) expect(text).toContain('needs a mail server')
  expect([others.status, taken.status, kept.status]).toEqual([200, 200, 200])
})

it('SVC_TRUSTED_PROXIES says whose word counts for where a client is, and no other does', async () => {
  const { apiKey } = await other.newProject({ loginThrottle: 'address' })
  const post = async (path: string, body: object, forwarded: string) => {
    const headers = { 'x-api-key': apiKey, 'content-type': 'application/json', 'x-forwarded-for': forwarded }
    const init = { method: 'POST', headers, body: JSON.stringify(body) }
    return (await fetch(`${other.url}/auth-collections/${path}`, init)).status
  }
  const ada = { email: 'ada@example.com', password: 'Correct4Horse' }
  await post('signup', ada, '198.51.100.1')
  const fail = (n: number) =>
    post('verify-2fa-login', { email: `${n}@example.com`, code: 'none' }, '203.0.113.9, 198.51.100.2')
  for (let n = 0; n < 100; n += 10) await Promise.all(Array.from({ length: 10 }, (_, more) => fail(n + more)))

  const held = await post('login', ada, '203.0.113.10, 198.51.100.2')
  const others = [await post('login', ada, '203.0.113.9'), await post('login', ada, '198.51.100.1')]

  expect([held, ...others]).toEqual([429, 200, 200])
})

it('a bucket that does not answer is in the log, with why, under the id of the request', async () => {
  const { secretKey } = await serving.newProject()
  const body = new FormData()
  body.append('file', new Blob(['Hello']), 'a.txt')

  world.bucket.fail(true)
  onTestFinished(() => world.bucket.fail(false))
  const answer = await fetch(`${serving.url}/storage/upload`, {
    method: 'POST',
    headers: { 'x-api-key': secretKey },
    body,
  })
  world.bucket.fail(false)

  expect(answer.status).toBe(503)
  const id = answer.headers.get('x-request-id')
  await vi.waitFor(() => {
    const line = logged().find(({ requestId, error }) => requestId === id && error)
    expect(line).toMatchObject({
      level: 50,
      error: { name: 'StorageError', message: expect.stringContaining('The bucket refused the request: 500') },
    })
  }, patiently)
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

it('two processes on one database and one bucket have projects, documents, users, files and events in common', async () => {
  const { apiKey, owner } = await serving.newProject()
  const away = createClient({ url: other.url, apiKey })
  await owner.collections.create({ name: 'posts' })
  const subscribers = await Promise.all(
    [overWebSocket, overEventStream].map((over) => aSubscriber(over, { url: other.url, apiKey, collection: 'posts' })),
  )

  const post = await owner.collection('posts').create({ title: 'Hello' })
  const file = await owner.files.upload(new Blob(['Hello']), { name: 'a.txt' })
  await createClient({ url: serving.url, apiKey }).auth.signUp({
    email: 'ada@example.com',
    password: 'Correct horse 1',
  })
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

it('a request that its client, or the end of the process, cuts before it is answered is logged and measured as 499', async () => {
  const { secretKey } = await serving.newProject()
  const { hostname, port } = new URL(serving.url)
  const begin = async () => {
    const socket = connect(Number(port), hostname).on('error', () => undefined)
    const type = 'multipart/form-data; boundary=x'
    const head = [
      'POST /storage/upload HTTP/1.1',
      `host: ${hostname}`,
      `x-api-key: ${secretKey}`,
      `content-type: ${type}`,
    ]
    socket.write([...head, 'content-length: 1000', 'expect: 100-continue', '', ''].join('\r\n'))
    // Sent by Node once it has read the headers.
    await once(socket, 'data')
    return socket
  }
  const cut = () => serving.log().match(/"route":"\/storage\/upload","status":499/g)?.length
  const metrics = async () => (await fetch(`${serving.adminUrl}/metrics`)).text()

  const left = await begin()
  left.destroy()
  await vi.waitFor(() => expect(cut()).toBe(1), patiently)
  expect(await metrics()).toMatch(/route="\/storage\/upload",status="499"/)
  await begin()
  await serving.stop()

  expect(cut()).toBe(2)
})

it('writes nothing but lines of JSON to standard error, from its start to its end', async () => {
  await serving.stop()

  const lines = serving.log().trim().split('\n')
  expect(lines.map((line) => typeof JSON.parse(line))).toEqual(lines.map(() => 'object'))
})

/** Whole lines of the log so far. */
function logged() {
  return serving
    .log()
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line))
}
