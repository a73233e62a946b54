import { expect, it, onTestFinished, vi } from 'vitest'
import { WebSocket } from 'ws'
import { createClient } from '../../client/index.js'
import { fakeRealtime } from '../fixtures/fake-realtime.js'

it('a subscription speaks for the key again before the session of its user ends', async () => {
  const service = await fakeRealtime()
  onTestFinished(() => service.close())
  const tokens = () => service.heard.flatMap(({ type, token }) => (type === 'auth' ? [token] : []))
  const svc = createClient({
    ...{ url: service.url, apiKey: 'svc_key_x', WebSocket },
    session: { read: () => JSON.stringify({ token: 'a.b.c', user: { id: 'u1' } }), write: () => undefined },
    async fetch() {
      await vi.waitUntil(() => tokens().length === 2)
      return new Response('{}')
    },
  })
  const subscription = svc.collection('posts').subscribe()
  await subscription.ready

  await svc.auth.logOut()

  expect(tokens()).toEqual(['a.b.c', 'svc_key_x'])
  expect(await svc.auth.session()).toBeUndefined()
  subscription.close()
})
