/** Subscriptions of the signed-in user. */
import { afterEach, expect, it, vi } from 'vitest'
import { WebSocket } from 'ws'
import { createClient } from '../../client/index.js'
import { patiently } from '../fixtures/patience.js'
import { anEvent, type FakeRealtime, fakeRealtime } from '../fixtures/realtime/fake-realtime.js'

let service: FakeRealtime
afterEach(async () => {
  vi.restoreAllMocks()
  await service.close()
})

/** A token that is valid for an hour. */
function aToken(name: string): string {
  const now = Math.floor(Date.now() / 1_000)
  return `${name}.${btoa(JSON.stringify({ iat: now, exp: now + 3_600 }))}.x`
}

const keeping = (token: string) => ({
  read: () => JSON.stringify({ token, user: { id: 'u1' } }),
  write: () => undefined,
})

/** The tokens of `auth`, over all sockets, in order. */
const askers = () => service.heard.flatMap(({ type, token }) => (type === 'auth' ? [token] : []))

it('speak for the key again before the session of their user ends', async () => {
  service = await fakeRealtime()
  const token = aToken('first')
  const svc = createClient({
    ...{ url: service.url, apiKey: 'svc_key_x', WebSocket, session: keeping(token) },
    async fetch() {
      await vi.waitUntil(() => askers().length === 2, patiently)
      return new Response('{}')
    },
  })
  const subscription = svc.collection('posts').subscribe()
  await subscription.ready

  await svc.auth.logOut()

  expect(askers()).toEqual([token, 'svc_key_x'])
  expect(await svc.auth.session()).toBeUndefined()
  subscription.close()
})

it.each(['ws', 'sse'] as const)('over %s keep the login fresh, although nothing else is asked', async (transport) => {
  service = await fakeRealtime()
  const [first, second] = [aToken('first'), aToken('second')]
  const refreshed: string[] = []
  const svc = createClient({
    ...{ url: service.url, transport, WebSocket, heartbeat: 500, session: keeping(first) },
    async fetch(address, init) {
      if (!String(address).endsWith('/refresh')) return fetch(address, init)
      refreshed.push(String(new Headers(init?.headers).get('authorization')))
      return new Response(JSON.stringify({ token: second }))
    },
  })
  const subscription = svc.collection('posts').subscribe()
  await subscription.ready
  // Never silent for so long that the client would reconnect.
  let seq = 0
  const telling = setInterval(() => service.tell(anEvent(++seq, 'Tea')), 20)
  expect(refreshed).toEqual([])

  const soon = Date.now() + 3_000_000
  vi.spyOn(Date, 'now').mockImplementation(() => soon)

  await vi.waitUntil(async () => (await svc.auth.session())?.token === second, patiently)
  expect(refreshed[0]).toBe(`Bearer ${first}`)
  if (transport === 'ws') await vi.waitUntil(() => askers().includes(second), patiently)
  clearInterval(telling)
  subscription.close()
})
