/** Logins in a page: its address and history, calls taken apart, and what changes nothing. */
import { afterEach, expect, it, vi } from 'vitest'
import { createClient } from '../../../client/index.js'

const user = { id: 'ada', email: 'ada@example.com', roles: [], data: {}, updatedAt: '2026-01-01T00:00:00.000Z' }

afterEach(() => vi.unstubAllGlobals())

/** A client whose service answers these, by the end of the path; and what it was asked. */
function aClient(answers: Readonly<Record<string, object>> = {}) {
  const asked: string[] = []
  const fetch = (async (url: unknown) => {
    const path = new URL(String(url)).pathname.replace(/^.*\//, '')
    asked.push(path)
    // As a network does it: a client that asked without an end would let nothing else happen.
    await new Promise(setImmediate)
    const body = answers[path] ?? { user, token: 'svc_user_x' }
    return new Response(JSON.stringify(body), { status: 'error' in body ? 401 : 200 })
  }) as typeof globalThis.fetch
  return { svc: createClient({ url: 'http://127.0.0.1:1', apiKey: 'x', fetch }), asked }
}

function aPage(href: string) {
  const replaceState = vi.fn()
  vi.stubGlobal('location', { href })
  vi.stubGlobal('history', { replaceState })
  return replaceState
}

it('a page without the result of a login keeps its address and history', async () => {
  const replaceState = aPage('https://app.example/list?q=a%20b&flag')

  expect(await aClient().svc.auth.finishLogin()).toBeUndefined()

  expect(replaceState).not.toHaveBeenCalled()
})

it('the token is taken out of the address, and finishLogin may be called by itself', async () => {
  const replaceState = aPage('https://app.example/list?svc-super-token=t&q=a')
  const { svc } = aClient({ user })
  const { finishLogin } = svc.auth

  expect(await finishLogin()).toMatchObject({ user: { id: 'ada' }, token: 't' })

  expect(replaceState).toHaveBeenCalledExactlyOnceWith(null, '', new URL('https://app.example/list?q=a'))
})

it('auth.me() that returns nothing new notifies no listener of onChange, so that a listener may call it', async () => {
  const { svc, asked } = aClient({ me: user })
  const heard: unknown[] = []
  svc.auth.onChange((session) => {
    heard.push(session?.user.data)
    if (session) void svc.auth.me()
  })

  await svc.auth.logIn({ email: 'ada@example.com', password: 'Correct4Horse' })
  for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate)

  expect(heard).toEqual([{}])
  expect(asked).toEqual(['login', 'me'])
})

it('auth.me() notifies listeners of a changed user, also with the same updatedAt', async () => {
  const { svc } = aClient({ me: { ...user, data: { name: 'Ada' } } })
  const heard: unknown[] = []
  await svc.auth.logIn({ email: 'ada@example.com', password: 'Correct4Horse' })
  svc.auth.onChange((session) => heard.push(session?.user.data))

  await svc.auth.me()

  expect(heard).toEqual([{ name: 'Ada' }])
})

it('a logout of a session that has ended already is done, and another failure is thrown', async () => {
  const credentials = { email: 'ada@example.com', password: 'Correct4Horse' }
  const over = aClient({ logout: { error: { code: 'INVALID_TOKEN', message: 'over' } } }).svc
  const failing = aClient({ logout: { error: { code: 'FORBIDDEN', message: 'no' } } }).svc

  await over.auth.logIn(credentials)
  await over.auth.logOut()
  await failing.auth.logIn(credentials)
  await expect(failing.auth.logOut()).rejects.toMatchObject({ code: 'FORBIDDEN' })

  expect([await over.auth.session(), await failing.auth.session()]).toEqual([undefined, undefined])
})
