/** Subscriptions of the client, against a fake service, because a real one does not fail on demand. */
import { afterEach, describe, expect, it, vi } from 'vitest'
import { WebSocket } from 'ws'
import { type ClientOptions, createClient, type DocumentChange, type Subscription } from '../../client/index.js'
import { patiently } from '../fixtures/patience.js'
import {
  agreeing,
  anEvent,
  type FakeAnswers,
  type FakeRealtime,
  fakeRealtime,
} from '../fixtures/realtime/fake-realtime.js'

type Post = { title: string }

const opened: { close(): unknown }[] = []

afterEach(async () => {
  for (const thing of opened.splice(0).reverse()) await thing.close()
})

async function aService(answers?: FakeAnswers): Promise<FakeRealtime> {
  const service = await fakeRealtime(answers)
  opened.push(service)
  return service
}

function clientOf(service: FakeRealtime, options: Partial<ClientOptions> = {}) {
  const client = createClient<{ posts: Post; notes: Post }>({
    url: service.url,
    apiKey: 'svc_key_x',
    WebSocket,
    retry: { delay: 1 },
    ...options,
  })
  return { posts: client.collection('posts'), notes: client.collection('notes') }
}

/** The next changes of a subscription, as many as wanted. */
async function take(subscription: Subscription<Post>, count: number): Promise<string[]> {
  const titles: string[] = []
  for await (const { document } of subscription) {
    titles.push(document.data.title)
    if (titles.length === count) break
  }
  return titles
}

function subscribes({ heard }: FakeRealtime) {
  return heard.filter(({ type }) => type === 'subscribe')
}

describe.each(['ws', 'sse'] as const)('a subscription over %s', (transport) => {
  it('tells of changes in order, with whole documents', async () => {
    const service = await aService()
    const subscription = clientOf(service, { transport }).posts.subscribe()
    await subscription.ready
    service.tell(anEvent(7, 'one'), { ...anEvent(8, 'two'), event: 'deleted' })

    const changes: DocumentChange<Post>[] = []
    for await (const change of subscription) if (changes.push(change) === 2) break

    expect(changes.map(({ kind, seq }) => [kind, seq])).toEqual([
      ['created', 7],
      ['deleted', 8],
    ])
    expect(changes[0]?.document).toMatchObject({ id: 'd7', collection: 'posts', data: { title: 'one' } })
    expect(subscription.status).toBe('closed')
  })

  it('understands the frames of the specification, too', async () => {
    const service = await aService()
    const subscription = clientOf(service, { transport }).posts.subscribe()
    await subscription.ready
    const document = { id: 'd1', data: { title: 'plain' }, createdAt: 't' }
    service.tell({ type: 'event', collection: 'posts', event: 'create', seq: 1, document })

    expect(await take(subscription, 1)).toEqual(['plain'])
  })

  it('calls back instead, and says how it stands', async () => {
    const service = await aService()
    const received: unknown[] = []
    const subscription = clientOf(service, { transport }).posts.subscribe({
      onChange: ({ seq }) => received.push(seq),
      onStatus: (status) => received.push(status),
    })
    await subscription.ready
    service.tell(anEvent(1, 'a'), anEvent(2, 'b'))
    await vi.waitUntil(() => received.includes(2), patiently)
    subscription.close()
    await vi.waitUntil(() => received.includes('closed'), patiently)

    expect(received).toEqual(['open', 1, 2, 'closed'])
  })

  it('goes on where a callback of the app throws or rejects, and reports why', async () => {
    const service = await aService()
    const reported = vi.spyOn(console, 'error').mockReturnValue()
    const received: unknown[] = []
    const subscription = clientOf(service, { transport }).posts.subscribe({
      onChange({ seq }) {
        received.push(seq)
        if (seq === 1) throw new Error('one')
        return seq === 2 ? Promise.reject(new Error('two')) : undefined
      },
    })
    opened.push(subscription)
    await subscription.ready
    service.tell(anEvent(1, 'a'), anEvent(2, 'b'), anEvent(3, 'c'))
    await vi.waitUntil(() => received.includes(3) && reported.mock.calls.length === 2, patiently)

    expect(received).toEqual([1, 2, 3])
    expect(reported.mock.calls.map(([error]) => (error as Error).message)).toEqual(['one', 'two'])
    expect(subscription.status).toBe('open')
    vi.restoreAllMocks()
  })

  it('comes back after a cut, behind the last change it knows, and drops what it has seen', async () => {
    const service = await aService()
    const received: unknown[] = []
    const subscription = clientOf(service, { transport }).posts.subscribe({
      since: 4,
      onChange: ({ seq }) => received.push(seq),
      onStatus: (status) => received.push(status),
    })
    opened.push(subscription)
    await subscription.ready
    service.tell(anEvent(5, 'five'), anEvent(6, 'six'))
    await vi.waitUntil(() => received.includes(6), patiently)
    service.cut()
    await vi.waitUntil(() => received.lastIndexOf('open') > 0, patiently)
    service.tell(anEvent(5, 'five'), anEvent(6, 'six'), anEvent(7, 'seven'))
    await vi.waitUntil(() => received.includes(7), patiently)

    expect(received).toEqual(['open', 5, 6, 'reconnecting', 'open', 7])
    const positions =
      transport === 'ws'
        ? subscribes(service).map(({ since }) => since)
        : service.asked.map(({ headers }) => Number(headers['last-event-id']))
    expect(positions).toEqual([4, 6])
  })

  it('says that it does not know what it missed, if it never had a place', async () => {
    const service = await aService()
    let resyncs = 0
    const subscription = clientOf(service, { transport }).posts.subscribe({ onResync: () => resyncs++ })
    await subscription.ready
    service.cut()
    await vi.waitUntil(() => resyncs > 0, patiently)
    service.tell(anEvent(9, 'after'))

    expect(await take(subscription, 1)).toEqual(['after'])
    expect(resyncs).toBe(1)
  })

  it('ends with RESYNC when nobody minds the gap', async () => {
    const service = await aService()
    const subscription = clientOf(service, { transport }).posts.subscribe()
    await subscription.ready
    const taken = take(subscription, 1)
    service.tell({ type: 'error', code: 'RESYNC', message: 'too old', collection: 'posts' })

    await expect(taken).rejects.toMatchObject({ code: 'RESYNC' })
  })

  it('ends when its signal aborts, and when it is left', async () => {
    const service = await aService()
    const controller = new AbortController()
    const subscription = clientOf(service, { transport }).posts.subscribe({ signal: controller.signal })
    await subscription.ready

    controller.abort()

    expect(await take(subscription, 1)).toEqual([])
    await vi.waitUntil(() => service.sockets.size + service.streams.size === 0, patiently)
    expect(subscription.status).toBe('closed')
  })

  it('gives up a connection that is silent', async () => {
    const service = await aService({ answer: (message) => (message.type === 'ping' ? [] : agreeing(message)) })
    const statuses: string[] = []
    const { posts } = clientOf(service, { transport, heartbeat: 20 })
    opened.push(posts.subscribe({ onStatus: (status) => statuses.push(status), onResync: () => undefined }))

    await vi.waitUntil(() => statuses.includes('reconnecting'), patiently)
    const lost = statuses.indexOf('reconnecting')

    await vi.waitUntil(() => statuses.slice(lost).includes('open'), patiently)
  })

  it('refuses an operator that does not exist', async () => {
    const subscription = clientOf(await aService(), { transport }).posts.subscribe({
      where: { title: { above: 3 } } as never,
    })

    await expect(subscription.ready).rejects.toMatchObject({ code: 'INVALID_FILTER' })
  })
})

describe('over WebSocket, a client', () => {
  it('says who asks, then what it wants, in its dialect', async () => {
    const service = await aService()
    const { posts } = clientOf(service, { dialect: 'b' })
    const where = { title: 'Tea', or: [{ title: { contains: 'a' } }, { title: { contains: 'b' } }] }
    await posts.subscribe({ where, since: 3, live: true }).ready

    expect(service.heard).toEqual([
      { type: 'auth', token: 'svc_key_x' },
      {
        type: 'subscribe',
        collection: 'posts',
        filters: { title: 'Tea', '[or:1]title_contains': ['a', 'b'] },
        since: 3,
        live: true,
        position: true,
      },
    ])
    service.cut()
  })

  it('has one connection for all collections, and one more for a second look at the same', async () => {
    const service = await aService()
    const { posts, notes } = clientOf(service)
    const many = [posts.subscribe(), notes.subscribe(), posts.subscribe({ where: { title: 'x' } })]
    await Promise.all(many.map(({ ready }) => ready))

    expect(service.sockets.size).toBe(2)
    for (const one of many) one.close()
    await vi.waitUntil(() => service.sockets.size === 0, patiently)
  })

  it('opens another connection for what one may not hold', async () => {
    const service = await aService()
    const client = createClient({ url: service.url, WebSocket })
    const many = Array.from({ length: 101 }, (_, n) => client.collection(`c${n}`).subscribe())
    await Promise.all(many.map(({ ready }) => ready))

    expect(service.sockets.size).toBe(2)
    for (const one of many) one.close()
  })

  it('does not take the rest of an earlier subscription for its own', async () => {
    const service = await aService({
      answer: (message) =>
        message.type === 'unsubscribe' ? [anEvent(1, 'late'), ...agreeing(message)] : agreeing(message),
    })
    const { posts, notes } = clientOf(service)
    const first = posts.subscribe()
    opened.push(notes.subscribe())
    await first.ready
    first.close()
    const second = posts.subscribe()
    await second.ready
    service.tell(anEvent(2, 'own'))

    expect(await take(second, 1)).toEqual(['own'])
  })

  it('ends one subscription for an error that names its collection, and all for one that names none', async () => {
    const refusing: FakeAnswers = {
      answer: (message) =>
        message.collection === 'notes'
          ? [{ type: 'error', code: 'INVALID_COLLECTION', message: 'No collection "notes".', collection: 'notes' }]
          : agreeing(message),
    }
    const service = await aService(refusing)
    const { posts, notes } = clientOf(service)
    const kept = posts.subscribe()
    const refused = notes.subscribe()

    await expect(refused.ready).rejects.toMatchObject({ code: 'INVALID_COLLECTION', message: 'No collection "notes".' })
    await kept.ready
    expect(kept.status).toBe('open')
    service.tell({ type: 'error', code: 'UNAUTHORIZED', message: 'no' })
    await expect(take(kept, 1)).rejects.toMatchObject({ code: 'UNAUTHORIZED' })
  })
})

describe('over Server-Sent Events, a client', () => {
  it('sends its key in a header and its question in the query', async () => {
    const service = await aService()
    const { posts } = clientOf(service, { transport: 'sse', dialect: 'b' })
    const subscription = posts.subscribe({ where: { title: 'Tea' }, live: true })
    await subscription.ready
    subscription.close()

    const [{ url = '', headers } = {}] = service.asked
    const { pathname, searchParams } = new URL(url, service.url)
    expect(pathname).toBe('/realtime/sse/posts')
    expect(headers?.['x-api-key']).toBe('svc_key_x')
    expect([searchParams.get('live'), searchParams.get('filters')]).toEqual(['true', '{"title":"Tea"}'])
    expect(searchParams.get('dialect')).toBe('b, document=enveloped, events=past')
  })

  it('ends with what the service refuses it for', async () => {
    const service = await aService({
      refuse: (response) => {
        response.writeHead(404).end('{"success":false,"error":{"code":"NOT_FOUND","message":"No collection."}}')
        return true
      },
    })
    const errors: string[] = []
    const { posts } = clientOf(service, { transport: 'sse' })
    const subscription = posts.subscribe({ onError: ({ code }) => errors.push(code) })

    await expect(subscription.ready).rejects.toMatchObject({ code: 'NOT_FOUND', message: 'No collection.' })
    expect(errors).toEqual(['NOT_FOUND'])
  })
})

it('wants a WebSocket from somewhere', async () => {
  vi.stubGlobal('WebSocket', undefined)

  expect(() => createClient({ url: 'http://127.0.0.1:1', transport: 'ws' })).toThrow('WebSocket is not available')
  vi.unstubAllGlobals()
})
