/** The store in the browser's `localStorage`, also where there is none. */
import { afterEach, expect, it } from 'vitest'
import { createClient, webStore } from '../../../client/index.js'

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
