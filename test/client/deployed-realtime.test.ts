/** The adapters that let the client follow collections and send files and mails at a service of dialect d. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { forDeployedService } from '../../client/deployed/index.js'
import { type Client, type ClientOptions, createClient, type DocumentChange } from '../../client/index.js'
import { type Emulator, startEmulator } from '../../emulator/assembly/dev.js'
import { type DeployedService, openDeployedService } from '../fixtures/deployed/deployed-service.js'
import { patiently } from '../fixtures/patience.js'

let emulator: Emulator
let client: Client
let paths: string[]
const sockets: WebSocket[] = []

class Watched extends WebSocket {
  constructor(url: string) {
    super(url)
    sockets.push(this)
  }
}

beforeAll(async () => {
  emulator = await startEmulator({ memory: true, dialect: 'd' })
  client = open(emulator.apiKey)
})
afterAll(() => emulator.close())

function open(apiKey: string): Client {
  const watched: typeof fetch = (input, init) => {
    paths.push(`${init?.method} ${new URL(String(input)).pathname}`)
    return fetch(input, init)
  }
  const { url } = emulator
  return createClient(forDeployedService({ url, apiKey, retry: { delay: 1 }, fetch: watched, WebSocket: Watched }))
}

test('section 12 each collection has a socket of its own, with each change once and in order', async () => {
  paths = []
  const posts = client.collection('posts')
  const { id } = await posts.create({ n: 1 })
  await client.collection('notes').create({ n: 1 })
  const heard: DocumentChange[] = []
  const before = sockets.length
  const subscriptions = ['posts', 'notes'].map((name) =>
    client.collection(name).subscribe({ onChange: (change) => heard.push(change) }),
  )
  await Promise.all(subscriptions.map(({ ready }) => ready))

  await posts.update(id, { n: 2 })
  await client.collection('notes').create({ n: 3 })
  await posts.delete(id)
  await expect.poll(() => heard, patiently).toHaveLength(3)
  for (const subscription of subscriptions) subscription.close()

  const told = heard.map(({ kind, document }) => [kind, document.collection, document.data.n])
  expect(told).toEqual([
    ['updated', 'posts', 2],
    ['created', 'notes', 3],
    ['deleted', 'posts', 2],
  ])
  expect(sockets.slice(before).map(({ url }) => new URL(url).pathname)).toEqual([
    '/realtime/collections/posts',
    '/realtime/collections/notes',
  ])
})

test('section 12 filters are sent with the first frame', async () => {
  const posts = client.collection('filtered')
  await posts.create({ n: 0 })
  const heard: unknown[] = []
  const subscription = posts.subscribe({
    where: { n: { gte: 2, in: [2, 3] }, name: { contains: 'TEA' } },
    onChange: ({ document }) => heard.push(document.data),
  })
  await subscription.ready

  for (const n of [1, 2, 3]) await posts.create({ n, name: n === 3 ? 'Tea' : 'milk' })
  await expect.poll(() => heard, patiently).toHaveLength(1)
  subscription.close()

  expect(heard).toEqual([{ n: 3, name: 'Tea' }])
})

test.each([
  ['a missing collection', 'nowhere', undefined, 'INVALID_COLLECTION'],
  ['a wrong key', 'posts', 'svc_public_wrong', 'UNAUTHORIZED'],
])('section 12 a subscription that is refused for %s ends with the reason', async (_, collection, key, code) => {
  const { ready } = (key === undefined ? client : open(key)).collection(collection).subscribe()

  await expect(ready).rejects.toMatchObject({ code })
})

test('section 12 a lost connection is opened again, and says that changes may be missing', async () => {
  const posts = client.collection('lost')
  await posts.create({ n: 1 })
  const heard: unknown[] = []
  let missed = 0
  const subscription = posts.subscribe({
    onChange: ({ document }) => heard.push(document.data.n),
    onResync: () => missed++,
  })
  await subscription.ready

  sockets.at(-1)?.terminate()
  await expect.poll(() => missed, patiently).toBe(1)
  await posts.create({ n: 2 })
  await expect.poll(() => heard, patiently).toEqual([2])
  subscription.close()
})

test('section 13 a file is sent to the path for files, and its address is told', async () => {
  paths = []
  const sent: number[] = []
  const file = new File(['Hello'], 'hello.txt', { type: 'text/plain' })

  const plain = await client.files.upload(file, { path: 'letters' })
  const counted = await client.files.upload(file, { path: 'letters', onProgress: (bytes) => sent.push(bytes) })

  for (const { url } of [plain, counted]) expect(await (await fetch(url)).text()).toBe('Hello')
  expect(plain).toMatchObject({ name: 'hello.txt', size: 5 })
  expect(sent.at(-1)).toBe(5)
  expect(paths).toEqual(['POST /collections/file', 'POST /collections/file'])
})

test('section 11 mails and tokens go to the paths of the deployed service', async () => {
  paths = []
  const account = { email: 'ada@example.com', password: 'Correct4Horse' }
  await client.auth.signUp(account)
  await client.auth.requestVerification()
  await client.auth.requestPasswordReset(account.email)

  const reset = client.auth.resetPassword({ token: 'x', newPassword: 'Better5Horse' })

  await expect(reset).rejects.toMatchObject({ code: 'INVALID_TOKEN' })
  await expect(client.auth.verifyEmail('x')).rejects.toMatchObject({ code: 'INVALID_TOKEN' })
  expect(paths.slice(1)).toEqual([
    'POST /auth-collections/verify-email/send',
    'POST /auth-collections/forgot-password',
    'POST /auth-collections/reset-password',
    'POST /auth-collections/verify-email/verify',
  ])
})

describe('at a server that follows the notes about the deployed service alone', () => {
  let service: DeployedService
  beforeEach(async () => {
    service = await openDeployedService()
  })
  afterEach(() => service.close())
  const options = (more: Partial<ClientOptions> = {}) => ({ url: service.url, apiKey: service.key, ...more })

  test('an app subscribes, uploads a file, and reads a time without a zone as UTC', async () => {
    const svc = createClient(forDeployedService(options({ WebSocket })))
    const posts = svc.collection('posts')
    const { id, createdAt } = await posts.create({ n: 1 })
    const heard: unknown[] = []
    const subscription = posts.subscribe({ onChange: ({ kind, document }) => heard.push([kind, document.data]) })
    await subscription.ready

    await posts.update(id, { n: 2 })
    await expect.poll(() => heard, patiently).toEqual([['updated', { n: 2 }]])
    subscription.close()
    const { url } = await svc.files.upload(new File(['Hello'], 'hello.txt'))

    expect(await (await fetch(url)).text()).toBe('Hello')
    expect(createdAt).toMatch(/Z$/)
  })

  test('an app without WebSocket is told to pass one when it subscribes', async () => {
    vi.stubGlobal('WebSocket', undefined)
    const svc = createClient(forDeployedService(options()))
    await svc.collection('posts').create({ n: 1 })

    const { ready } = svc.collection('posts').subscribe()

    await expect(ready).rejects.toMatchObject({ code: 'INVALID_OPTION' })
    vi.unstubAllGlobals()
  })
})
