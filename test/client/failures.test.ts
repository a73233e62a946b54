/** Every failure of the client is an `SvcError` that says what caused it. Contract 12.2. */
import { describe, expect, it, vi } from 'vitest'
import { type Client, createClient, SvcError } from '../../client/index.js'

const token = `x.${btoa(JSON.stringify({ iat: 0, exp: 9e9 }))}.x`
const file = new File(['a'], 'a.txt')

/** Every public call that sends a request. */
const calls: Readonly<Record<string, (svc: Client) => Promise<unknown>>> = {
  'collections.list': (svc) => svc.collections.list(),
  'collections.get': (svc) => svc.collections.get('posts'),
  'collections.create': (svc) => svc.collections.create({ name: 'posts' }),
  'collections.update': (svc) => svc.collections.update('posts', {}),
  'collections.rename': (svc) => svc.collections.rename('posts', 'letters'),
  'collections.delete': (svc) => svc.collections.delete('posts'),
  list: (svc) => svc.collection('posts').list({ populate: ['author'] }),
  iterate: async (svc) => svc.collection('posts').iterate().next(),
  count: (svc) => svc.collection('posts').count(),
  get: (svc) => svc.collection('posts').get('d1'),
  create: (svc) => svc.collection('posts').create({ title: 'Tea' }),
  'create with a file': (svc) => svc.collection('posts').create({ cover: file as never }),
  update: (svc) => svc.collection('posts').update('d1', {}),
  replace: (svc) => svc.collection('posts').replace('d1', {}),
  delete: (svc) => svc.collection('posts').delete('d1'),
  append: (svc) => svc.collection('posts').append('d1', { tags: 'a' }),
  remove: (svc) => svc.collection('posts').remove('d1', { tags: 'a' }),
  createMany: (svc) => svc.collection('posts').createMany([{}]),
  updateMany: (svc) => svc.collection('posts').updateMany({ d1: {} }),
  deleteMany: (svc) => svc.collection('posts').deleteMany(['d1']),
  'files.upload': (svc) => svc.files.upload(file),
  'files.upload, counted': (svc) => svc.files.upload(file, { onProgress: () => undefined }),
  'files.list': (svc) => svc.files.list(),
  'files.delete': (svc) => svc.files.delete('f1'),
  'files.info': (svc) => svc.files.info(),
  'users.list': (svc) => svc.users.list(),
  'users.get': (svc) => svc.users.get('u1'),
  'auth.signUp': (svc) => svc.auth.signUp({ email: 'a@example.com', password: 'x' }),
  'auth.logIn': (svc) => svc.auth.logIn({ email: 'a@example.com', password: 'x' }),
  'auth.verifyCode': (svc) => svc.auth.verifyCode({ email: 'a@example.com', code: '1' }),
  'auth.use': (svc) => svc.auth.use('token'),
  'auth.logOut': (svc) => svc.auth.logOut(),
  'auth.me': (svc) => svc.auth.me(),
  'auth.user': (svc) => svc.auth.user(),
  'auth.update': (svc) => svc.auth.update({ data: { bio: 'Hi' } }),
  'auth.refresh': (svc) => svc.auth.refresh(),
  'auth.changePassword': (svc) => svc.auth.changePassword({ oldPassword: 'x', newPassword: 'y' }),
  'auth.requestPasswordReset': (svc) => svc.auth.requestPasswordReset('a@example.com'),
  'auth.resetPassword': (svc) => svc.auth.resetPassword({ token: 'x', newPassword: 'y' }),
  'auth.requestVerification': (svc) => svc.auth.requestVerification(),
  'auth.verifyEmail': (svc) => svc.auth.verifyEmail('x'),
  'auth.startLogin': (svc) => svc.auth.startLogin(),
  'auth.twoFactor.enable': (svc) => svc.auth.twoFactor.enable(),
  'auth.twoFactor.verify': (svc) => svc.auth.twoFactor.verify('1'),
  'auth.twoFactor.disable': (svc) => svc.auth.twoFactor.disable('1'),
  'auth.provider.url': (svc) => svc.auth.provider('google').url({ redirectUrl: 'http://a.example' }),
  'auth.provider.callback': (svc) => svc.auth.provider('google').callback({ code: 'x', state: 'y' }),
  'auth.provider.token': (svc) => svc.auth.provider('google').token({ idToken: 'x', platform: 'web' }),
}

/** A client with a signed-in user, whose every request gets this answer. */
function clientOf(answer: () => Response, more: { readonly dialect?: string; readonly apiKey?: string } = {}) {
  const asked: string[] = []
  const svc = createClient({
    url: 'http://service.test/',
    apiKey: 'svc_key_x',
    retry: { attempts: 1 },
    session: { read: () => JSON.stringify({ token, user: { id: 'u1' } }), write: () => undefined },
    fetch: async (url) => {
      asked.push(String(url))
      return answer()
    },
    transport: 'sse',
    ...more,
  })
  return { svc, asked }
}

const failureOf = (call: Promise<unknown>) =>
  call.then(
    () => 'nothing failed',
    (thrown: unknown) => thrown,
  )

const html = '<!doctype html><title>Another server</title>'

describe.each(Object.entries(calls))('contract 12.2 %s', (_, call) => {
  it.each(['a', 'b', 'c'])('says in dialect %s what answered, if it is not the service', async (dialect) => {
    const { svc } = clientOf(() => new Response(html, { headers: { 'content-type': 'text/html' } }), { dialect })

    const failure = await failureOf(call(svc))

    expect(failure).toBeInstanceOf(SvcError)
    expect(failure).toMatchObject({ code: 'INVALID_RESPONSE', status: 200 })
    expect(String(failure)).toMatch(/http:\/\/service\.test\/\S+ .*<!doctype html>/)
  })

  it.each([
    ['a connection that broke', new TypeError('fetch failed'), 'NETWORK'],
    ['a page of a proxy', new Response(html, { status: 404 }), 'INVALID_RESPONSE'],
  ])('tells %s by its code', async (_, answer, code) => {
    const { svc } = clientOf(() => {
      if (answer instanceof Error) throw answer
      return answer.clone()
    })

    expect(await failureOf(call(svc))).toMatchObject({ name: 'SvcError', code })
  })
})

describe('contract 12.2 an address', () => {
  it.each([undefined, null, '', 'localhost:4400', 'ftp://service.test', '/api', 'http://', 7])(
    'that is none is refused at once: %j',
    (url) => {
      expect(() => createClient({ url: url as never })).toThrow(expect.objectContaining({ code: 'INVALID_OPTION' }))
    },
  )

  it.each([undefined, null, 'ftp://service.test'])('that is none is refused in a page as well: %j', (url) => {
    vi.stubGlobal('location', new URL('http://app.test/welcome'))

    try {
      expect(() => createClient({ url: url as never })).toThrow(
        expect.objectContaining({ code: 'INVALID_OPTION', message: expect.stringContaining('url') }),
      )
      expect(() => createClient({ url: '/api' })).not.toThrow()
    } finally {
      vi.unstubAllGlobals()
    }
  })

  it('to download from, or of the page where a login ends, is refused as well', async () => {
    const { svc, asked } = clientOf(() => new Response('a'))

    expect(await failureOf(svc.files.download('a.txt'))).toMatchObject({ code: 'INVALID_OPTION' })
    expect(await failureOf(svc.auth.finishLogin(''))).toMatchObject({ code: 'INVALID_OPTION' })
    expect(asked).toEqual([])
  })

  it('may end in a slash', async () => {
    const { svc, asked } = clientOf(() => new Response('[]'))

    await svc.collections.list()

    expect(asked).toEqual(['http://service.test/collections'])
  })
})

describe('contract 12.2 a document that has no fields', () => {
  const values = ['{"title":"a text"}', [{ title: 'several' }], 5, null, undefined, new Date(0), new Map()]

  it.each(values)('is refused, and nothing is sent: %j', async (value) => {
    const { svc, asked } = clientOf(() => new Response('{}'))
    const posts = svc.collection('posts')
    const given = value as never

    const failures = await Promise.all([
      failureOf(posts.create(given)),
      failureOf(posts.update('id', given)),
      failureOf(posts.replace('id', given)),
      failureOf(posts.createMany([{ title: 'one' }, given])),
      failureOf(posts.updateMany({ id: given })),
    ])

    for (const failure of failures) {
      expect(failure).toMatchObject({ code: 'VALIDATION_ERROR', message: expect.stringContaining('A document cannot') })
    }
    expect(asked).toEqual([])
  })

  it('has a prototype of its own all the same', async () => {
    const { svc, asked } = clientOf(() => new Response('{}'))
    class Post {
      title = 'one'
    }

    await failureOf(svc.collection('posts').create(new Post() as never))

    expect(asked).toHaveLength(1)
  })
})

describe('contract 12.2 a value that cannot be sent', () => {
  const cycle: { self?: unknown } = {}
  cycle.self = cycle
  const values: Readonly<Record<string, unknown>> = {
    'a cycle': cycle,
    'a BigInt': 10n,
    'a function': () => 1,
    'a symbol': Symbol('s'),
    NaN: Number.NaN,
    infinity: Number.POSITIVE_INFINITY,
    'a map': new Map(),
    'a promise': Promise.resolve(1),
    'a file where only texts can be': { deep: file },
    'a date that is none': new Date('yesterday'),
  }

  it.each(Object.entries({ ...values, 'an item that is undefined': undefined }))(
    'as a field is refused, and nothing is sent: %s',
    async (_, value) => {
      const { svc, asked } = clientOf(() => new Response('{}'))
      const posts = svc.collection('posts')
      const fields = { nested: [value === undefined ? value : { value }] } as never

      const failures = await Promise.all(
        [
          posts.create(fields),
          posts.create({ cover: file, ...(fields as object) } as never),
          posts.update('d1', fields),
          posts.replace('d1', fields),
          posts.append('d1', fields),
          posts.createMany([fields]),
          posts.updateMany({ d1: fields }),
          svc.auth.update({ data: fields }),
          svc.collections.create({ name: 'x', schema: fields }),
        ].map(failureOf),
      )

      for (const failure of failures) expect(failure).toMatchObject({ name: 'SvcError', code: 'VALIDATION_ERROR' })
      expect(asked).toEqual([])
    },
  )

  const filters: Record<string, unknown> = { null: null, 'null in an or': { or: [null] } }
  filters['undefined in a list'] = { views: { in: [undefined] } }
  for (const [name, gte] of Object.entries({ ...values, 'a list': ['a'] })) filters[name] = { views: { gte } }
  it.each(Object.entries(filters))('in a filter is refused: %s', async (_, filter) => {
    const { svc, asked } = clientOf(() => new Response('{}'))
    const posts = svc.collection('posts')
    const isRefused = expect.stringMatching(/^(VALIDATION_ERROR|INVALID_FILTER)$/)
    const where = filter as never

    const subscription = posts.subscribe({ where })
    const live = posts.live.bind(posts)
    const failures = await Promise.all(
      [
        posts.list({ where }),
        posts.count({ where }),
        posts.iterate({ where }).next(),
        svc.users.list({ where }),
        subscription.ready,
        new Promise((_, reject) => live({ where, onError: reject })),
      ].map(failureOf),
    ).catch((thrown) => [thrown])

    for (const failure of failures) expect(failure).toMatchObject({ name: 'SvcError', code: isRefused })
    expect(asked).toEqual([])
  })

  it('in an address or a header is refused, and no secret is shown', async () => {
    const { svc, asked } = clientOf(() => new Response('{}'), { apiKey: 'svc_key_\nx' })
    const posts = svc.collection('posts')

    const failures = await Promise.all([posts.get('\ud800'), svc.collections.list()].map(failureOf))

    for (const failure of failures) expect(failure).toMatchObject({ name: 'SvcError', code: 'VALIDATION_ERROR' })
    expect(String(failures[1])).not.toContain('svc_key')
    expect(asked).toEqual([])
  })

  const ids = [undefined, null, '', '.', '..', 5, {}, [], ['d1'], Symbol('d1'), '\ud800'] as never[]
  const byId: Readonly<Record<string, (svc: Client, id: never) => Promise<unknown>>> = {
    get: (svc, id) => svc.collection('posts').get(id),
    update: (svc, id) => svc.collection('posts').update(id, { name: 'x' }),
    replace: (svc, id) => svc.collection('posts').replace(id, { name: 'x' }),
    delete: (svc, id) => svc.collection('posts').delete(id),
    append: (svc, id) => svc.collection('posts').append(id, { tags: 'x' }),
    remove: (svc, id) => svc.collection('posts').remove(id, { tags: 'x' }),
    deleteMany: (svc, id) => svc.collection('posts').deleteMany(['d1', id]),
    'list of a collection': (svc, name) => svc.collection(name).list(),
    'count of a collection': (svc, name) => svc.collection(name).count(),
    'iterate a collection': (svc, name) => svc.collection(name).iterate().next(),
    'create in a collection': (svc, name) => svc.collection(name).create({}),
    'createMany in a collection': (svc, name) => svc.collection(name).createMany([{}]),
    'updateMany in a collection': (svc, name) => svc.collection(name).updateMany({ d1: {} }),
    'subscribe to a collection': (svc, name) => svc.collection(name).subscribe().ready,
    'live list of a collection': (svc, name) =>
      new Promise((_, reject) => svc.collection(name).live({ onError: reject })),
    'collections.get': (svc, name) => svc.collections.get(name),
    'collections.update': (svc, name) => svc.collections.update(name, { name: 'x' }),
    'collections.rename': (svc, name) => svc.collections.rename(name, 'x'),
    'collections.rename to': (svc, name) => svc.collections.rename('posts', name),
    'collections.delete': (svc, name) => svc.collections.delete(name),
    'files.delete': (svc, id) => svc.files.delete(id),
    'users.get': (svc, id) => svc.users.get(id),
    'auth.provider': async (svc, name) => svc.auth.provider(name).url({}),
  }

  describe.each(['a', 'b', 'c'])('as an id or a name in dialect %s', (dialect) => {
    it.each(Object.entries(byId))('is refused, and nothing is sent: %s', async (_, call) => {
      const { svc, asked } = clientOf(() => new Response('{}'), { dialect })

      const failures = await Promise.all(ids.map((id) => failureOf(call(svc, id))))

      for (const failure of failures) expect(failure).toMatchObject({ name: 'SvcError', code: 'VALIDATION_ERROR' })
      expect(asked).toEqual([])
    })
  })

  it('as a file is refused', async () => {
    const { svc, asked } = clientOf(() => new Response('{}'))

    const failure = await failureOf(svc.files.upload('just a text' as never))

    expect(failure).toMatchObject({ name: 'SvcError', code: 'VALIDATION_ERROR' })
    expect(asked).toEqual([])
  })
})

describe('contract 12.2 a stream', () => {
  it('that is a page of another server ends the subscription', async () => {
    const { svc } = clientOf(() => new Response(html, { headers: { 'content-type': 'text/html' } }))

    expect(await failureOf(svc.collection('posts').subscribe().ready)).toMatchObject({ code: 'INVALID_RESPONSE' })
  })

  it('whose events are in another form ends the subscription', async () => {
    const event = 'id: 1\ndata: {"event":"created","seq":1,"data":"Tea"}\n\n'
    const { svc } = clientOf(() => new Response(event, { headers: { 'content-type': 'text/event-stream' } }))

    const changes = svc.collection('posts').subscribe()[Symbol.asyncIterator]()

    expect(await failureOf(changes.next())).toMatchObject({ name: 'SvcError', code: 'INVALID_RESPONSE' })
  })
})

describe('contract 12.2 an answer in another form', () => {
  const time = '2026-01-01T00:00:00.000Z'
  const collection = { id: 'c1', name: 'posts', created_at: time, createdAt: time, schema: null, permissions: {} }
  const posts = (svc: Client) => svc.collection('posts')
  const reads: readonly (readonly [string, object, (svc: Client) => Promise<unknown>])[] = [
    ['a', collection, (svc) => posts(svc).get('d1')],
    ['b', collection, (svc) => posts(svc).update('d1', { name: 'x' })],
    ['c', { success: true, data: collection }, (svc) => posts(svc).update('d1', { name: 'x' })],
    ['c', { success: true, data: { documents: [collection] } }, (svc) => posts(svc).list()],
    ['a', { id: 5, collection: 'posts', data: {}, createdAt: time, updatedAt: time }, (svc) => posts(svc).get('d1')],
    ['a', { name: 'posts', createdAt: time }, (svc) => svc.collections.get('posts')],
    ['a', { id: 'c1', name: {} }, (svc) => svc.collections.get('posts')],
    ['a', { email: 'a@example.com' }, (svc) => svc.users.get('u1')],
    ['a', { id: 'f1' }, (svc) => svc.files.upload(file)],
  ]

  it.each(reads)('in dialect %s is not taken for a record: %j', async (dialect, answer, call) => {
    const { svc } = clientOf(() => new Response(JSON.stringify(answer)), { dialect })

    expect(await failureOf(call(svc))).toMatchObject({ name: 'SvcError', code: 'INVALID_RESPONSE', status: 200 })
  })
})

it('contract 12.1 what an answer does not tell is undefined', async () => {
  const bare = { email: 'a@example.com', id: 'u1' }
  const { svc } = clientOf(() => new Response(JSON.stringify(bare)))

  expect(await svc.users.get('u1')).toEqual(bare)
})
