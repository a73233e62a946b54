/** A store of an app's own that fails for a moment, as one on a phone that is locked. */
import { expect, it, vi } from 'vitest'
import { createClient } from '../../../client/index.js'
import { openStore } from '../../../client/store/index.js'
import { patiently } from '../../fixtures/patience.js'

const session = { token: 't1', user: { id: 'u1', email: 'ada@example.com', data: {} } }

it('asks a store that has failed again, and goes on with the login in it', async () => {
  const tokens: (string | null)[] = []
  let reads = 0
  const svc = createClient({
    url: 'http://service.test',
    session: {
      async read() {
        reads += 1
        if (reads === 1) throw new Error('The device is locked.')
        return JSON.stringify(session)
      },
      async write() {},
    },
    fetch: async (_url, init = {}) => {
      tokens.push(new Headers(init.headers).get('authorization'))
      return new Response(JSON.stringify({ ...session.user, ...session }))
    },
  })
  await expect(svc.auth.session()).rejects.toThrow('The device is locked.')

  expect(await svc.auth.session()).toMatchObject(session)
  await svc.auth.me()
  expect(tokens).toEqual(['Bearer t1'])
})

it('signs in where the store cannot be read', async () => {
  const svc = createClient({
    url: 'http://service.test',
    session: {
      async read() {
        throw new Error('The device is locked.')
      },
      write() {},
    },
    fetch: async () => new Response(JSON.stringify(session)),
  })

  await svc.auth.logIn({ email: 'ada@example.com', password: 'x' })

  expect(await svc.auth.session()).toMatchObject(session)
})

it('tells all of a logout, and ends the session at the service, though a callback throws and nothing can be written', async () => {
  const asked: string[] = []
  const heard: unknown[] = []
  const svc = createClient({
    url: 'http://service.test',
    session: {
      read: () => JSON.stringify(session),
      async write() {
        throw new Error('The device is full.')
      },
    },
    fetch: async (url, init = {}) => {
      asked.push(`${new URL(String(url)).pathname} ${new Headers(init.headers).get('authorization')}`)
      return new Response('{}')
    },
  })
  svc.auth.onChange((now) => heard.push(now?.user.email.length))
  svc.auth.onChange((now) => heard.push((now as typeof session).user.email))
  svc.auth.onChange((now) => heard.push(now))
  await svc.auth.session()

  const reported = vi.spyOn(console, 'error').mockReturnValue()

  await expect(svc.auth.logOut()).rejects.toThrow('The device is full.')
  await vi.waitUntil(() => heard.length === 2, patiently)

  expect(heard).toEqual([undefined, undefined])
  expect(reported.mock.calls).toMatchObject([[{ message: expect.stringContaining("reading 'user'") }]])
  vi.restoreAllMocks()
  expect(asked).toEqual(['/auth-collections/logout Bearer t1'])
})

it('a write of the hooks that waits for its turn says only then that the store could not be read', async () => {
  let unlock = () => {}
  const isSaved = new Promise<void>((resolve) => {
    unlock = resolve
  })
  let isLocked = false
  const session = async () => {
    if (isLocked) throw new Error('The device is locked.')
    return undefined
  }
  const fetched: typeof fetch = () =>
    isSaved.then(() => new Response('{"id":"1","data":{},"createdAt":"","updatedAt":""}'))
  const svc = createClient({ url: 'http://service.test', fetch: fetched })
  const auth = { ...svc.auth, session }
  const { update } = openStore({ ...svc, auth }).mutations('posts')
  const first = update('1', {})
  await new Promise(setImmediate)
  isLocked = true
  let second = Promise.resolve<unknown>(undefined)

  const thrown = await uncaught(async () => {
    second = update('1', {})
    await new Promise(setImmediate)
  }, 'unhandledRejection')

  expect(thrown).toEqual([])
  unlock()
  await first
  await expect(second).rejects.toThrow('The device is locked.')
})

/** Collects uncaught errors, such as those of the app's callbacks. */
async function uncaught(work: () => Promise<unknown>, event = 'uncaughtException'): Promise<unknown[]> {
  const thrown: unknown[] = []
  const others = process.rawListeners(event) as (() => void)[]
  process.removeAllListeners(event)
  process.on(event, (error: unknown) => thrown.push(error))
  await work()
  await new Promise(setImmediate)
  process.removeAllListeners(event)
  for (const other of others) process.on(event, other)
  return thrown
}
