/** The client where there is no more than React Native has, against a running service. */
import { webcrypto } from 'node:crypto'
import { afterEach, beforeAll, expect, it, vi } from 'vitest'
import { WebSocket } from 'ws'
import { type ClientOptions, createClient, type SvcError } from '../../../client/index.js'
import { newSharedProject, type SharedProject } from '../../fixtures/shared-emulator.js'

let emulator: SharedProject
beforeAll(async () => {
  emulator = await newSharedProject('here')
  await createClient(emulator).collections.create({ name: 'posts' })
})

/** The form of React Native: a list of parts, which its own `fetch` sends. */
class NativeForm {
  readonly parts: [string, string | Blob, string?][] = []

  append(...part: [string, string | Blob, string?]) {
    this.parts.push(part)
  }
}

const { any, timeout } = AbortSignal
const { throwIfAborted } = AbortSignal.prototype
const { FormData: OwnForm } = globalThis

/** As React Native does, with the `fetch` of Node. */
const nativeFetch: typeof fetch = (address, init = {}) => {
  if (!(init.body instanceof NativeForm)) return fetch(address, init)
  const body = new OwnForm()
  for (const [name, value, filename] of init.body.parts) {
    if (value instanceof Blob) body.append(name, value, filename)
    else body.append(name, value)
  }
  return fetch(address, { ...init, body })
}

function aClient(options: Partial<ClientOptions> = {}) {
  const { url, apiKey } = emulator
  vi.stubGlobal('crypto', undefined)
  vi.stubGlobal('FormData', NativeForm)
  Object.assign(AbortSignal, { any: undefined, timeout: undefined })
  Reflect.deleteProperty(AbortSignal.prototype, 'throwIfAborted')
  return createClient<{ posts: { title: string } }>({
    ...{ url, apiKey, transport: 'ws', WebSocket, fetch: nativeFetch, retry: { delay: 1 } },
    ...options,
  })
}

afterEach(() => {
  vi.unstubAllGlobals()
  Object.assign(AbortSignal, { any, timeout })
  AbortSignal.prototype.throwIfAborted = throwIfAborted
})

it('writes, lists and stores files', async () => {
  const svc = aClient()
  const posts = svc.collection('posts')

  const one = await posts.create({ title: 'Tea' })
  const [two] = await posts.createMany([{ title: 'Milk' }])
  const { items } = await posts.list({ sort: 'title' })
  const file = await svc.files.upload(new File(['Hello'], 'hello.txt'), { path: 'letters' })

  expect(items.map(({ id }) => id)).toEqual([two?.id, one.id])
  expect(file).toMatchObject({ name: 'hello.txt', path: 'letters', size: 5 })
  expect(await (await svc.files.download(file)).text()).toBe('Hello')
  await posts.deleteMany(items.map(({ id }) => id))
})

it.each([
  ['a polyfill', { getRandomValues: polyfilled }],
  ['a part of it', {}],
])('creates with %s of crypto', async (_, crypto) => {
  const posts = aClient().collection('posts')
  vi.stubGlobal('crypto', crypto)

  const { id } = await posts.create({ title: 'Tea' })
  const [other] = await posts.createMany([{ title: 'Milk' }])

  await posts.deleteMany([id, other?.id ?? ''])
})

/** As `react-native-get-random-values` does. */
function polyfilled(array: object): object {
  const known = [Int8Array, Uint8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array, Uint32Array]
  if (!known.some((kind) => array instanceof kind)) throw new Error('Expected an integer array')
  return webcrypto.getRandomValues(array as Uint32Array)
}

it('a download that is ended is no failure of the network', async () => {
  const controller = new AbortController()
  // Its signals know no reason.
  Object.defineProperty(controller.signal, 'reason', { value: undefined })
  const ended = new Error('Aborted')
  const never: typeof fetch = (_, { signal } = {}) =>
    new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(ended)))

  const download = aClient({ fetch: never }).files.download(`${emulator.url}/file`, controller)
  controller.abort()

  await expect(download).rejects.toBe(ended)
})

it('keeps a list current', async () => {
  const posts = aClient().collection('posts')
  const errors: SvcError[] = []
  const list = posts.live({ onError: (error) => errors.push(error) })
  const titles = () => list.page?.items.map(({ data }) => data.title)
  await expect.poll(() => list.status).toBe('open')

  await posts.create({ title: 'Tea' })

  await expect.poll(titles).toEqual(['Tea'])
  expect(errors).toEqual([])
  list.close()
})

it('gives up what takes too long, and what its signal ends', async () => {
  const never = (_: unknown, { signal }: RequestInit = {}) =>
    new Promise<never>((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))
  const late = aClient({ fetch: never as typeof fetch, timeout: 20, retry: { attempts: 1 } }).collection('posts')
  const posts = aClient({ fetch: never as typeof fetch }).collection('posts')
  const controller = new AbortController()
  const reason = new Error('enough')

  await expect(late.list()).rejects.toMatchObject({ name: 'SvcError', code: 'TIMEOUT' })
  const listing = posts.list({ signal: controller.signal })
  controller.abort(reason)

  await expect(listing).rejects.toBe(reason)
  await expect(posts.list({ signal: controller.signal })).rejects.toBe(reason)
})

it('says what is wrong in what the app has handed in, and does not take it for the network', async () => {
  const broken = () => {
    throw new TypeError('is not a constructor')
  }
  const svc = aClient({ WebSocket: broken as never })

  const failure = await svc
    .collection('posts')
    .subscribe()
    .ready.catch((error: unknown) => error)

  expect(failure).toMatchObject({ name: 'SvcError', code: 'INTERNAL', cause: expect.any(TypeError) })
})
