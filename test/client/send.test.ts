/** How the client sends: against a fake `fetch`, because real networks do not fail on demand. */
import { describe, expect, it, vi } from 'vitest'
import { type ClientOptions, createClient, SvcError, webStore } from '../../client/index.js'

type Reply = Response | Error | 'never'

/** A client whose requests get these replies, the last one repeated. */
function clientOf(replies: readonly (() => Reply)[], options: Partial<ClientOptions> = {}) {
  const seen: { method: string; url: string; headers: Headers; body: unknown }[] = []
  const fetch = async (url: unknown, init: RequestInit = {}) => {
    const reply = (replies[Math.min(seen.length, replies.length - 1)] as () => Reply)()
    seen.push({ method: init.method ?? 'GET', url: String(url), headers: new Headers(init.headers), body: init.body })
    if (reply instanceof Error) throw reply
    if (reply !== 'never') return reply
    return new Promise<Response>((_, reject) => {
      init.signal?.addEventListener('abort', () => reject(init.signal?.reason))
    })
  }
  const client = createClient({
    url: 'http://service.test/',
    apiKey: 'svc_key_x',
    fetch: fetch as typeof globalThis.fetch,
    retry: { delay: 1 },
    ...options,
  })
  return { client, seen }
}

const json =
  (status: number, body: unknown, headers: Record<string, string> = {}) =>
  () =>
    new Response(JSON.stringify(body), { status, headers })
const offline = () => new TypeError('fetch failed')
const document = { id: 'd1', collection: 'posts', data: { title: 'Tea' }, createdAt: 't', updatedAt: 't' }
const busy = json(503, { success: false, error: { code: 'UNAVAILABLE', message: 'busy' } }, { 'svc-dialect': 'a' })

describe('the client', () => {
  it('looks up what the runtime offers at each call, so that a test can replace it after the client was made', async () => {
    const asked: string[] = []
    const stubs = {
      fetch: async (url: unknown) => {
        asked.push(`fetch ${url}`)
        return String(url).includes('sse') ? new Response(null, { status: 418 }) : json(200, document)()
      },
      WebSocket: class {
        constructor(url: string) {
          asked.push(`WebSocket ${url}`)
        }
        close() {}
      },
      localStorage: { getItem: (name: string) => void asked.push(`localStorage ${name}`) },
    }
    const options = { url: 'http://service.test', session: webStore('kept') }
    const posts = createClient(options).collection('posts')
    const streamed = createClient({ ...options, transport: 'sse' }).collection('posts')
    for (const [name, stub] of Object.entries(stubs)) vi.stubGlobal(name, stub)

    try {
      await posts.get('d1')
      await createClient(options).files.download('http://service.test/a.txt')
      await streamed.subscribe().ready.catch(() => undefined)
      const subscription = posts.subscribe()
      await expect.poll(() => asked.at(-1)).toMatch(/^WebSocket/)
      subscription.close()
    } finally {
      vi.unstubAllGlobals()
    }

    expect([...new Set(asked)]).toEqual([
      'localStorage kept',
      'fetch http://service.test/collections/posts/d1',
      'fetch http://service.test/a.txt',
      expect.stringMatching(/^fetch .*sse/),
      expect.stringMatching(/^WebSocket ws:\/\/service\.test/),
    ])
  })

  it('sends key, dialect and filters, and reads the answer with its version', async () => {
    const { client, seen } = clientOf([json(200, document, { etag: '"7"' })])

    const got = await client.collection('posts').get('d 1', { populate: ['author'] })

    expect(got).toMatchObject({ id: 'd1', data: { title: 'Tea' }, version: 7 })
    expect(seen[0]?.url).toBe('http://service.test/collections/posts/d%201?populate=author')
    expect(seen[0]?.headers.get('x-api-key')).toBe('svc_key_x')
    expect(seen[0]?.headers.get('svc-dialect')).toBe('a')
  })

  it('repeats a read after 503 and after a broken connection', async () => {
    const { client, seen } = clientOf([busy, offline, json(200, document)])

    await client.collection('posts').get('d1')

    expect(seen).toHaveLength(3)
  })

  it('repeats a create under the same idempotency key, once an answer has told that keys are obeyed', async () => {
    const own = { 'svc-dialect': 'a' }
    const { client, seen } = clientOf([
      offline,
      json(401, {}, own),
      json(201, document, own),
      offline,
      json(201, document, own),
    ])

    await client.collection('posts').create({ title: 'Tea' })
    await client.collection('posts').create({ title: 'Milk' })

    expect(seen.map(({ method }) => method)).toEqual(['POST', 'GET', 'POST', 'POST', 'POST'])
    const [one, , again, other, otherAgain] = seen.map(({ headers }) => headers.get('idempotency-key'))
    expect(one).toMatch(/^\d+(-\d+){3}$/)
    expect([again, otherAgain]).toEqual([one, other])
    expect(other).not.toBe(one)
  })

  it.each([
    ['of which no answer tells that it obeys keys', json(200, []), 2],
    ['that answers nothing any more', offline, 4],
  ])('does not repeat a create at a service %s, and says that it may have been created', async (_, reply, requests) => {
    const { client, seen } = clientOf([() => new Response('<html>', { status: 502 }), reply])

    const failure = await client
      .collection('posts')
      .create({ title: 'Tea' })
      .catch((thrown: unknown) => thrown)

    expect(failure).toMatchObject({ status: 502, mayBeDone: true })
    expect(String(failure)).toContain('It may have been created.')
    expect(seen.map(({ method }) => method)).toEqual(['POST', ...Array(requests - 1).fill('GET')])
  })

  it.each([
    ['was refused', json(422, { detail: 'no' }), undefined],
    ['the service says it did not do', busy, undefined],
    ['was not sent', () => Object.assign(new TypeError('x'), { cause: { code: 'ECONNREFUSED' } }), undefined],
    ['got no answer', offline, true],
  ])('says of an update whether it may have been carried out: one that %s', async (_, reply, mayBeDone) => {
    const { client } = clientOf([reply], { retry: { attempts: 1 } })

    const failure = await client
      .collection('posts')
      .update('d1', { title: 'x' })
      .catch((thrown: unknown) => thrown)

    expect(Object(failure).mayBeDone).toBe(mayBeDone)
  })

  it('repeats a replacement of any version, and a create that was never sent, without asking whether keys are obeyed', async () => {
    const refused = () => Object.assign(new TypeError('x'), { cause: { code: 'ECONNREFUSED' } })
    const { client, seen } = clientOf([offline, json(200, document), refused, json(201, document)])
    const posts = client.collection('posts')

    await posts.replace('d1', { title: 'x' })
    await posts.create({ title: 'Tea' })

    expect(seen.map(({ method }) => method)).toEqual(['PUT', 'PUT', 'POST', 'POST'])
  })

  it('stops with the reason of its signal while it asks whether keys are obeyed', async () => {
    const controller = new AbortController()
    const aborting = () => {
      controller.abort(new Error('enough'))
      return new TypeError('aborted')
    }
    const { client, seen } = clientOf([() => new Response('<html>', { status: 502 }), aborting])

    const creating = client.collection('posts').create({ title: 'Tea' }, { signal: controller.signal })

    await expect(creating).rejects.toThrow('enough')
    expect(seen.map(({ method }) => method)).toEqual(['POST', 'GET'])
  })

  it.each([
    ['an update', (svc: Posts) => svc.update('d1', { title: 'x' })],
    ['a delete', (svc: Posts) => svc.delete('d1')],
    ['a replacement of one version', (svc: Posts) => svc.replace('d1', {}, { ifMatch: 3 })],
    ['a batch of updates', (svc: Posts) => svc.updateMany({ d1: { title: 'x' } })],
  ])('does not repeat %s that may have been carried out', async (_, call) => {
    const { client, seen } = clientOf([offline])

    await expect(call(client.collection('posts'))).rejects.toMatchObject({ code: 'NETWORK' })
    expect(seen).toHaveLength(1)
  })

  it.each([
    ['an answer that is none of ours', () => new Response('<html>', { status: 502 }), { status: 502 }],
    ['no answer', offline, { code: 'NETWORK' }],
  ])('fails to download with an error of its own after %s', async (_, reply, error) => {
    const { client } = clientOf([reply])

    const failure = await client.files.download('http://files.test/a.txt').catch((thrown: unknown) => thrown)

    expect(failure).toBeInstanceOf(SvcError)
    expect(failure).toMatchObject(error)
  })

  it('passes over a time to wait that is a date', async () => {
    const { client } = clientOf([json(503, {}, { 'retry-after': new Date().toUTCString() })], {
      retry: { attempts: 1 },
    })

    await expect(client.collections.list()).rejects.toMatchObject({ status: 503, retryAfterSeconds: undefined })
  })

  it('repeats anything after 429, once the service says it may', async () => {
    const { client, seen } = clientOf([
      json(429, { detail: 'slow down' }, { 'retry-after': '0', 'svc-error-code': 'RATE_LIMITED' }),
      json(200, document),
    ])

    await client.collection('posts').update('d1', { title: 'x' })

    expect(seen).toHaveLength(2)
  })

  it('does not repeat a code after 429, which counted it, and repeats a login', async () => {
    const slowDown = json(429, { detail: 'slow down' }, { 'retry-after': '0', 'svc-error-code': 'RATE_LIMITED' })
    const { client, seen } = clientOf([slowDown])
    const email = 'ada@example.com'

    const failure = await client.auth.verifyCode({ email, code: '123456' }).catch((thrown: unknown) => thrown)
    expect(failure).toMatchObject({ code: 'RATE_LIMITED' })
    expect(failure).not.toHaveProperty('mayBeDone')
    const forCode = seen.length
    await expect(client.auth.logIn({ email, password: 'x' })).rejects.toMatchObject({ code: 'RATE_LIMITED' })

    expect([forCode, seen.length - forCode]).toEqual([1, 3])
  })

  it('does not wait longer than half a minute', async () => {
    const { client, seen } = clientOf([json(429, { detail: 'tomorrow' }, { 'retry-after': '3600' })])

    await expect(client.collection('posts').get('d1')).rejects.toMatchObject({ status: 429, retryAfterSeconds: 3600 })
    expect(seen).toHaveLength(1)
  })

  it.each([
    [59_000, 1],
    [60_000, 2],
  ])('waits no longer than it is told: %i ms, %i requests', async (mostWait, requests) => {
    vi.useFakeTimers({ toFake: ['setTimeout'] })
    const { client, seen } = clientOf([json(429, {}, { 'retry-after': '60' }), json(200, document)], {
      retry: { mostWait },
    })
    const settled = client
      .collection('posts')
      .get('d1')
      .catch(() => undefined)
    await expect.poll(() => seen).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(60_000).finally(() => vi.useRealTimers())
    await settled
    expect(seen).toHaveLength(requests)
  })

  it('gives up after the attempts it may make', async () => {
    const { client, seen } = clientOf([busy], { retry: { attempts: 2, delay: 1 } })

    await expect(client.collection('posts').get('d1')).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    expect(seen).toHaveLength(2)
  })

  it('says what to do when nothing answers', async () => {
    const { client } = clientOf([offline], { retry: { attempts: 1 } })

    await expect(client.collections.list()).rejects.toThrow('Is it running?')
  })

  it('gives up an attempt that takes too long', async () => {
    const { client } = clientOf([() => 'never'], { timeout: 20, retry: { attempts: 1 } })

    await expect(client.collections.list()).rejects.toMatchObject({ code: 'TIMEOUT' })
  })

  it('stops when its signal aborts, with the reason given', async () => {
    const { client, seen } = clientOf([() => 'never'])
    const controller = new AbortController()
    const listing = client.collections.list({ signal: controller.signal })
    setTimeout(() => controller.abort(new Error('enough')), 10)

    await expect(listing).rejects.toThrow('enough')
    expect(seen).toHaveLength(1)
  })

  it.each([
    [404, { success: false, error: { code: 'NOT_FOUND', message: 'No document.' } }, 'NOT_FOUND', 'No document.'],
    [422, { detail: [{ loc: ['body', 'n'], msg: 'is wrong', type: 'number' }] }, 'VALIDATION_ERROR', 'is wrong'],
    [401, { detail: 'no key' }, 'UNAUTHORIZED', 'no key'],
    [500, 'not even json', 'INTERNAL', 'The service answered 500.'],
  ])('reads a %i in whichever format it comes', async (status, body, code, message) => {
    const { client } = clientOf([json(status, body, { 'x-request-id': 'r1' })])

    const error = await client.collections.list().catch((error: unknown) => error)

    expect(error).toBeInstanceOf(SvcError)
    expect(error).toMatchObject({ status, code, message, requestId: 'r1' })
  })

  it('tells its hooks of every attempt, and lets them add headers', async () => {
    const received: string[] = []
    const { client, seen } = clientOf([offline, json(200, [])], {
      onRequest: ({ attempt, headers }) => {
        received.push(`ask ${attempt}`)
        headers.set('x-trace', 't1')
      },
      onResponse: ({ status }) => received.push(`got ${status}`),
    })

    await client.collections.list()

    expect(received).toEqual(['ask 1', 'ask 2', 'got 200'])
    expect(seen[1]?.headers.get('x-trace')).toBe('t1')
  })

  it('refuses an array of files and other values, which the service would put one in the place of the other', async () => {
    const { client, seen } = clientOf([json(200, document)])
    const pictures = ['http://files.test/a.png', new Blob(['b'])] as never

    await expect(client.collection('posts').create({ pictures })).rejects.toThrow('"pictures" mixes files and values.')
    expect(seen).toHaveLength(0)
  })

  it('refuses a dialect that does not exist, and an operator that does not either, before it sends', async () => {
    expect(() => clientOf([offline], { dialect: 'z' })).toThrow(expect.objectContaining({ code: 'INVALID_DIALECT' }))
    const { client, seen } = clientOf([offline])
    const where = { views: { above: 3 } } as never

    await expect(client.collection('posts').list({ where })).rejects.toMatchObject({ code: 'INVALID_FILTER' })
    expect(seen).toHaveLength(0)
  })
})

describe("dialect: 'auto'", () => {
  const named = [{ id: 'c1', name: 'posts', created_at: 't', createdAt: 't' }]

  it('says what the answer says that it is written in, and asks no more', async () => {
    const { client, seen } = clientOf([json(200, [], { 'svc-dialect': 'b, list=page' })], { dialect: 'auto' })

    await client.collections.list()
    await client
      .collection('posts')
      .create({ title: 'Tea' })
      .catch(() => undefined)

    expect(seen.map(({ headers }) => headers.get('svc-dialect'))).toEqual([null, 'b, list=page', 'b, list=page'])
  })

  it.each([
    ['a page', { files: [], total: 0, limit: 20, offset: 0 }, 'a'],
    ['an array', [], 'b'],
  ])('asks for files where there is no collection, and does not guess: %s', async (_, files, dialect) => {
    const { client, seen } = clientOf([json(200, []), json(200, files), json(200, [])], { dialect: 'auto' })

    await client.collections.list()

    expect(seen.map(({ url, headers }) => [new URL(url).pathname, headers.get('svc-dialect')])).toEqual([
      ['/collections', null],
      ['/storage/list', null],
      ['/collections', dialect],
    ])
  })

  it('asks again where it could not find out', async () => {
    const { client, seen } = clientOf(
      [offline, json(200, [], { 'svc-dialect': 'c' }), json(200, { success: true, data: [] })],
      {
        dialect: 'auto',
        retry: { attempts: 1 },
      },
    )

    await client.collections.list().catch(() => undefined)
    await client.collections.list()

    expect(seen.map(({ headers }) => headers.get('svc-dialect'))).toEqual([null, null, 'c'])
  })

  it('asks once, and says what it found from then on', async () => {
    const empty = json(200, { success: true, data: [] })
    const { client, seen } = clientOf([empty], { dialect: 'auto' })

    await client.collections.list()
    await client.collections.list()

    expect(seen.map(({ headers }) => headers.get('svc-dialect'))).toEqual([null, 'c', 'c'])
  })

  it.each([
    ['a page of enveloped documents', named, { documents: [document], total: 1, limit: 1, offset: 0 }, 'a'],
    ['an array', named, [document], 'a, list=array'],
    ['a record at the short path', [{ id: 'c1', name: 'posts', created_at: 't' }], { id: 'c1', name: 'posts' }, 'b'],
    [
      'success around everything',
      { success: true, data: named },
      {
        success: true,
        data: { documents: [{ title: 'Tea', id: 'd1', createdAt: 't' }], total: 1, limit: 1, offset: 0 },
      },
      'c',
    ],
  ])('knows the dialect of a service that answers %s', async (_, collections, answer, dialect) => {
    const { client, seen } = clientOf([json(200, collections), json(200, answer), json(200, collections)], {
      dialect: 'auto',
    })

    await client.collections.list()

    expect(seen.at(-1)?.headers.get('svc-dialect')).toBe(dialect)
  })
})

type Posts = ReturnType<ReturnType<typeof clientOf>['client']['collection']>

it('reads no clock and draws no number before its first answer: a page that is rendered ahead may do neither', async () => {
  const forbid = () => {
    throw new Error('Not while a page is rendered ahead.')
  }
  vi.spyOn(Date, 'now').mockImplementation(forbid)
  vi.spyOn(Math, 'random').mockImplementation(forbid)
  vi.spyOn(crypto, 'randomUUID').mockImplementation(forbid)
  vi.spyOn(crypto, 'getRandomValues').mockImplementation(forbid)
  const fetch = async () => new Response('{"documents":[],"total":0}')
  const svc = createClient({ url: 'http://service.test', apiKey: 'key', fetch })

  const page = await svc.collection('posts').list()
  vi.restoreAllMocks()

  expect(page.items).toEqual([])
})
