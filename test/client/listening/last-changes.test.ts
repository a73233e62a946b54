/** Tests changes that arrive together with the end of a subscription. */
import { afterEach, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { createClient } from '../../../client/index.js'
import { anEvent, fakeRealtime } from '../../fixtures/realtime/fake-realtime.js'

const opened: { close(): unknown }[] = []
afterEach(async () => {
  for (const thing of opened.splice(0).reverse()) await thing.close()
})

const ends = { RESYNC: 'too old', FORBIDDEN: 'no more', INVALID_COLLECTION: 'renamed' }
for (const transport of ['ws', 'sse'] as const) {
  it.each(Object.entries(ends))(
    `a change right before %s is handed on, and none after it, over ${transport}`,
    async (code, message) => {
      const service = await fakeRealtime()
      opened.push(service)
      const received: unknown[] = []
      const client = createClient<{ posts: { title: string } }>({
        url: service.url,
        apiKey: 'svc_key_x',
        WebSocket,
        transport,
      })
      const ended = new Promise<unknown>((resolve) => {
        const subscription = client
          .collection('posts')
          .subscribe({ onChange: ({ seq }) => received.push(seq), onError: resolve })
        opened.push(subscription)
        subscription.ready.then(() => {
          const failure = { type: 'error', code, message, collection: 'posts' }
          service.tell(anEvent(1, 'a'), anEvent(2, 'b'), failure, anEvent(3, 'c'))
        }, resolve)
      })

      expect(await ended).toMatchObject({ code })
      expect(received).toEqual([1, 2])
    },
  )
}
