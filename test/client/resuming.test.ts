/** From where a client resumes whose connection held several subscriptions. Contract 9.4. */
import { afterEach, describe, expect, it, vi } from 'vitest'
import { WebSocket } from 'ws'
import { createClient } from '../../client/index.js'
import { patiently } from '../fixtures/patience.js'
import {
  agreeing,
  anEvent,
  type FakeAnswers,
  type FakeRealtime,
  fakeRealtime,
} from '../fixtures/realtime/fake-realtime.js'

const opened: { close(): unknown }[] = []

afterEach(async () => {
  for (const thing of opened.splice(0).reverse()) await thing.close()
})

async function aService(answers?: FakeAnswers): Promise<FakeRealtime> {
  const service = await fakeRealtime(answers)
  opened.push(service)
  return service
}

function clientOf({ url }: FakeRealtime) {
  const client = createClient({ url, apiKey: 'svc_key_x', WebSocket, retry: { delay: 1 } })
  return { posts: client.collection('posts'), notes: client.collection('notes') }
}

function subscribes({ heard }: FakeRealtime) {
  return heard.filter(({ type }) => type === 'subscribe')
}

describe('over WebSocket, a client that comes back', () => {
  /** Answers as the service does: a subscription with `since` is replayed. */
  const replaying = (live: boolean): FakeAnswers => ({
    answer: (message) => {
      if (message.type !== 'subscribe') return agreeing(message)
      const { collection, since } = message
      const announced = { type: 'live', collection, seq: 40 }
      return [...agreeing(message), ...(since !== undefined && live ? [announced] : [])]
    },
  })
  const places = (service: FakeRealtime, from: number) =>
    subscribes(service)
      .slice(from)
      .map(({ collection, since }) => [collection, since])

  it('contract 9.4 goes on behind the newest change of the connection, for all subscriptions', async () => {
    const service = await aService()
    const { posts, notes } = clientOf(service)
    const received: number[] = []
    const many = [posts.subscribe(), notes.subscribe({ onChange: ({ seq }) => received.push(seq) })]
    opened.push(...many)
    await Promise.all(many.map(({ ready }) => ready))
    service.tell(anEvent(7, 'one'), anEvent(9, 'other', { collection: 'notes' }))
    await vi.waitUntil(() => received.includes(9), patiently)

    service.cut()
    await vi.waitUntil(() => subscribes(service).length === 4, patiently)

    expect(places(service, 2)).toEqual([
      ['posts', 9],
      ['notes', 9],
    ])
  })

  it('contract 9.4 resumes a subscription from its own last change while it is replayed', async () => {
    const service = await aService(replaying(false))
    const { posts, notes } = clientOf(service)
    const received: number[] = []
    const many = [posts.subscribe({ since: 3 }), notes.subscribe({ onChange: ({ seq }) => received.push(seq) })]
    opened.push(...many)
    await Promise.all(many.map(({ ready }) => ready))
    service.tell(anEvent(5, 'old'), anEvent(30, 'new', { collection: 'notes' }))
    await vi.waitUntil(() => received.includes(30), patiently)

    service.cut()
    await vi.waitUntil(() => subscribes(service).length === 4, patiently)

    expect(places(service, 2)).toEqual([
      ['posts', 5],
      ['notes', 30],
    ])
  })

  it('contract 9.4 begins anew what had not begun yet, whatever the others received', async () => {
    let isHeard = false
    const service = await aService({
      answer: (message) => (message.collection === 'posts' && !isHeard ? [] : agreeing(message)),
    })
    const { posts, notes } = clientOf(service)
    const received: number[] = []
    const errors: string[] = []
    const first = notes.subscribe({ onChange: ({ seq }) => received.push(seq) })
    opened.push(first)
    await first.ready
    const second = posts.subscribe({ onError: ({ code }) => errors.push(code) })
    opened.push(second)
    await vi.waitUntil(() => subscribes(service).length === 2, patiently)
    service.tell(anEvent(5, 'other', { collection: 'notes' }))
    await vi.waitUntil(() => received.includes(5), patiently)

    isHeard = true
    service.cut()
    await second.ready

    expect(places(service, 2)).toEqual([
      ['notes', 5],
      ['posts', undefined],
    ])
    expect(errors).toEqual([])
  })

  it('contract 9.4 knows from the end of a replay how far it is', async () => {
    const service = await aService(replaying(true))
    const { posts } = clientOf(service)
    const subscription = posts.subscribe({ since: 3 })
    opened.push(subscription)
    await subscription.ready
    await vi.waitUntil(() => subscribes(service).length === 1, patiently)

    service.cut()
    await vi.waitUntil(() => subscribes(service).length === 2, patiently)

    expect(places(service, 1)).toEqual([['posts', 40]])
  })
})

it.each(['ws', 'sse'] as const)(
  'over %s a collection that cannot be looked at for a moment ends no subscription',
  async (transport) => {
    const refused = { type: 'error', code: 'UNAVAILABLE', message: 'Later.', collection: 'posts' }
    const service = await aService()
    const errors: string[] = []
    const client = createClient<{ posts: { title: string } }>({
      ...{ url: service.url, apiKey: 'svc_key_x', WebSocket, retry: { delay: 1 }, transport },
    })
    const subscription = client.collection('posts').subscribe({ onError: ({ code }) => errors.push(code) })
    const titles: string[] = []
    const reading = (async () => {
      for await (const { document } of subscription) titles.push(document.data.title)
    })()
    await subscription.ready
    const connections = () => service.heard.filter(({ type }) => type === 'subscribe').length + service.asked.length

    service.tell(anEvent(7, 'before'), refused)
    await vi.waitFor(() => expect(connections()).toBe(2), patiently)
    await vi.waitFor(() => expect(subscription.status).toBe('open'), patiently)
    service.tell(anEvent(8, 'after'))

    await vi.waitFor(() => expect(titles).toEqual(['before', 'after']), patiently)
    expect(errors).toEqual([])
    subscription.close()
    await reading
  },
)
