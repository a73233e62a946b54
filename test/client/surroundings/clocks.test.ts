/** Tokens of a service whose clock differs from that of this machine. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createClient } from '../../../client/index.js'

const lifetime = 20
const user = { id: 'u1', email: 'ada@example.com', data: {} }

/** A client of a service whose tokens are valid for twenty seconds, by a clock that is so many ahead. */
function clientOf(ahead: () => number) {
  const asked: string[] = []
  const svc = createClient({
    url: 'http://service.test',
    fetch: async (address) => {
      asked.push(String(address).replace(/^.*\//, ''))
      const iat = Math.floor(Date.now() / 1_000) + ahead()
      const token = `${asked.length}.${btoa(JSON.stringify({ iat, exp: iat + lifetime }))}.x`
      return new Response(JSON.stringify({ ...user, user, token }))
    },
  })
  return { svc, refreshes: () => asked.filter((path) => path === 'refresh').length }
}

let now = 0
beforeEach(() => {
  now = Date.UTC(2026, 0)
  vi.spyOn(Date, 'now').mockImplementation(() => now)
})
afterEach(() => void vi.restoreAllMocks())

async function signIn({ auth }: ReturnType<typeof clientOf>['svc']) {
  await auth.logIn({ email: user.email, password: 'x' })
}

it('are renewed once, and not with each request, where a new one looks as old', async () => {
  const { svc, refreshes } = clientOf(() => -8 * lifetime)
  await signIn(svc)

  for (let call = 0; call < 5; call++) await svc.auth.me()

  expect(refreshes()).toBe(1)
})

it('are renewed again as soon as they near their end, where a new one looks new', async () => {
  let ahead = -lifetime
  const { svc, refreshes } = clientOf(() => ahead)
  await signIn(svc)
  ahead = 0
  const tokenNow = async () => (await svc.auth.session())?.token
  const first = await tokenNow()
  await svc.users.get('u1')
  await expect.poll(tokenNow).not.toBe(first)
  const second = await tokenNow()

  now += 900 * lifetime
  await svc.users.get('u1')

  await expect.poll(tokenNow).not.toBe(second)
  expect(refreshes()).toBe(2)
})
