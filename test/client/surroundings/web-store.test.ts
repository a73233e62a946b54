/** The store in the browser's `localStorage`, also where there is none. */
import { afterEach, expect, it, vi } from 'vitest'
import { createClient, webStore } from '../../../client/index.js'
import { patiently } from '../../fixtures/patience.js'

const user = { id: 'u1', email: 'ada@example.com', data: {} }

/** A client whose every request is answered as a login is, by a service that no test needs to be real. */
const openClient = () =>
  createClient({
    url: 'http://service.test',
    session: webStore(),
    fetch: async () => new Response(JSON.stringify({ user, token: 't1' })),
  })

const own = Object.getOwnPropertyDescriptor(globalThis, 'localStorage')
const withStorage = (storage: PropertyDescriptor) =>
  Object.defineProperty(globalThis, 'localStorage', { configurable: true, ...storage })

afterEach(() => {
  vi.unstubAllGlobals()
  if (own) Object.defineProperty(globalThis, 'localStorage', own)
  else Reflect.deleteProperty(globalThis, 'localStorage')
})

it.each([
  ['there is none, as on a server', () => Reflect.deleteProperty(globalThis, 'localStorage')],
  [
    'the browser keeps no data of the page',
    () =>
      withStorage({
        get() {
          throw new DOMException('The operation is insecure.', 'SecurityError')
        },
      }),
  ],
  [
    'there is no room',
    () =>
      withStorage({
        value: {
          getItem: () => null,
          setItem() {
            throw new DOMException('It is full.', 'QuotaExceededError')
          },
        },
      }),
  ],
])('keeps the login as memory does where %s', async (_, prepare) => {
  prepare()
  const svc = openClient()
  expect(await svc.auth.session()).toBeUndefined()

  await svc.auth.logIn({ email: user.email, password: 'x' })

  expect(await svc.auth.session()).toMatchObject({ token: 't1', user: { id: 'u1' } })
})

it('keeps the login for the next page where there is one', async () => {
  const texts = new Map<string, string>()
  withStorage({
    value: {
      getItem: (name: string) => texts.get(name) ?? null,
      setItem: (name: string, text: string) => texts.set(name, text),
      removeItem: (name: string) => texts.delete(name),
    },
  })
  await openClient().auth.logIn({ email: user.email, password: 'x' })

  const next = openClient()

  expect(await next.auth.session()).toMatchObject({ token: 't1', user: { id: 'u1' } })
  await next.auth.logOut()
  expect(texts.size).toBe(0)
})

it('leaves no login of another user where there is no room for the new one', async () => {
  const kept = new Map([['svc-session', JSON.stringify({ token: 't0', user: { id: 'u0' } })]])
  withStorage({
    value: {
      getItem: (name: string) => kept.get(name) ?? null,
      removeItem: (name: string) => kept.delete(name),
      setItem() {
        throw new DOMException('It is full.', 'QuotaExceededError')
      },
    },
  })
  const svc = openClient()
  expect(await svc.auth.session()).toMatchObject({ token: 't0' })

  await svc.auth.logIn({ email: user.email, password: 'x' })

  expect(await svc.auth.session()).toMatchObject({ token: 't1', user: { id: 'u1' } })
  expect(await openClient().auth.session()).toBeUndefined()
})

it('learns of a login and a logout in another tab, and writes no session of a user who has left', async () => {
  const texts = new Map<string, string>()
  const storage = {
    getItem: (name: string) => texts.get(name) ?? null,
    setItem: (name: string, text: string) => texts.set(name, text),
    removeItem: (name: string) => texts.delete(name),
  }
  withStorage({ value: storage })
  const heard: ((event: object) => void)[] = []
  vi.stubGlobal('addEventListener', (_name: string, listener: (event: object) => void) => heard.push(listener))
  const tell = (event: object) => {
    for (const listener of heard) listener({ storageArea: storage, ...event })
  }
  const svc = openClient()
  const seen: unknown[] = []
  svc.auth.onChange((session) => seen.push(session?.user.id))
  await svc.auth.logIn({ email: user.email, password: 'x' })

  texts.set('svc-session', JSON.stringify({ token: 't2', user: { id: 'u2' } }))
  tell({ key: 'another' })
  tell({ key: 'svc-session', storageArea: {} })
  expect(await svc.auth.session()).toMatchObject({ token: 't1' })
  tell({ key: 'svc-session' })
  await vi.waitUntil(() => seen.includes('u2'), patiently)
  expect(await svc.auth.session()).toMatchObject({ token: 't2' })
  texts.clear()
  tell({ key: null })
  await vi.waitUntil(() => seen.includes(undefined), patiently)

  expect(seen).toEqual(['u1', 'u2', undefined])
  expect(await svc.auth.session()).toBeUndefined()
  await expect(svc.auth.refresh()).resolves.toBe('t1')
  expect(texts.size).toBe(0)
})
