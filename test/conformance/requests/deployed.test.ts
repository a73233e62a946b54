/** What the published client of the deployed service sends and reads, as raw requests to a project that speaks dialect d. */
import { generate } from 'otplib'
import { describe, expect, test } from 'vitest'
import { anEmail, goodPassword } from '../../fixtures/accounts.js'
import { control } from '../../fixtures/control.js'
import { read, sendForm } from '../../fixtures/files.js'
import { countMails, mailTo, tokenIn } from '../../fixtures/mail/mails.js'
import { type Message, openSocket } from '../../fixtures/realtime/streams.js'
import { fileOf, textOf } from '../../fixtures/requests/form.js'
import { send } from '../../fixtures/requests/http.js'
import { type Api, aProject, apiOf, type Settings, service } from '../../fixtures/service.js'
import { expectFailure, expectStatus, type Fields, keysOf } from '../../fixtures/wires.js'

interface Deployed {
  readonly id: string
  readonly apiKey: string
  readonly secretKey: string
  readonly api: Api
  /** Sends the key and the user's token, as the client does. */
  as(token: string): Api
}

/** A project whose own dialect is d: no request names one. */
async function aDeployed(settings: Settings = {}): Promise<Deployed> {
  const project = await aProject({ dialect: 'd', ...settings })
  const key = { 'x-api-key': project.apiKey }
  const { dialect: spoken = 'd' } = settings as { dialect?: string }
  return {
    ...project,
    api: apiOf(key, '', spoken),
    as: (token) => apiOf({ ...key, authorization: `Bearer ${token}` }, '', spoken),
  }
}

/** A project with the collection `posts`. */
async function withPosts(many: readonly Fields[] = [], settings?: Settings) {
  const deployed = await aDeployed(settings)
  expectStatus(201, await deployed.api.post('/collections', { name: 'posts' }))
  const rows: Fields[] = []
  for (const data of many) {
    rows.push(
      expectStatus(201, await deployed.api.post('/collections/documents?collection=posts', { data })).body as Fields,
    )
  }
  const list = async (query: string) =>
    expectStatus(200, await deployed.api.get(`/collections/posts/documents?${query}`)).body as { data: Fields }[]
  return { ...deployed, rows, list, names: async (query: string) => (await list(query)).map(({ data }) => data.name) }
}

async function signUp({ api, as }: Deployed, more: Fields = {}) {
  const account = { email: anEmail(), password: goodPassword, ...more }
  const { body } = expectStatus(200, await api.post('/auth-collections/signup', account))
  const { access_token: token, user } = body as { access_token: string; user: Fields }
  return { ...account, token, user, api: as(token) }
}

function listen(collection: string, first: unknown) {
  return openSocket(service.url, '', {}, `/realtime/collections/${collection}`).then((socket) => {
    socket.say(first)
    return socket
  })
}

const events = (heard: readonly Message[]) =>
  heard.filter(({ event }) => event !== 'connected').map(({ event }) => event)

describe('Realtime of one collection', () => {
  test('realtime-create-update-delete: sends each change with the document', async () => {
    const { api, apiKey } = await withPosts()
    const socket = await listen('posts', { api_key: apiKey })
    expect(await socket.atLeast(1)).toEqual([{ event: 'connected', collection_id: 'posts' }])

    const made = expectStatus(201, await api.post('/collections/posts/documents', { data: { n: 1 } })).body as Fields
    await api.patch(`/collections/posts/documents/${made.id}`, { data: { n: 2 } })
    await api.delete(`/collections/posts/documents/${made.id}`)

    const [, created, updated, deleted] = await socket.atLeast(4)
    expect(events(socket.heard)).toEqual(['create', 'update', 'delete'])
    expect(created).toEqual({
      event: 'create',
      collection_id: 'posts',
      seq: expect.any(Number),
      data: made,
      document: made,
    })
    expect(updated).toMatchObject({ document: { id: made.id, data: { n: 2 } } })
    expect(deleted).toMatchObject({ data: { id: made.id, data: { n: 2 } } })
    socket.close()
  })

  test('realtime-only-own-collection: sends nothing of another collection', async () => {
    const { api, apiKey } = await withPosts()
    await api.post('/collections', { name: 'notes' })
    const socket = await listen('posts', { api_key: apiKey })
    await socket.atLeast(1)

    await api.post('/collections/notes/documents', { n: 1 })
    await api.post('/collections/posts/documents', { n: 2 })

    expect((await socket.atLeast(2))[1]).toMatchObject({ collection_id: 'posts', data: { data: { n: 2 } } })
    socket.close()
  })

  test('realtime-filters: sends only what matches, with suffixes of both spellings', async () => {
    const { api, apiKey } = await withPosts()
    const filters = { status: 'open', rank_gte: '5', name__startswith: 'TE' }
    const socket = await listen('posts', { api_key: apiKey, filters })
    expect(await socket.atLeast(1)).toEqual([{ event: 'connected', collection_id: 'posts', filters }])

    for (const [rank, name] of [
      [4, 'tea'],
      [5, 'milk'],
      [6, 'tea'],
    ])
      await api.post('/collections/posts/documents', { status: 'open', rank, name })

    expect((await socket.atLeast(2))[1]).toMatchObject({ data: { data: { rank: 6 } } })
    expect(events(socket.heard)).toHaveLength(1)
    socket.close()
  })

  test('realtime-two-watchers, snapshot-refreshes, batch-create-emits-events: each hears every document of a batch', async () => {
    const { api, apiKey } = await withPosts()
    const sockets = [await listen('posts', { api_key: apiKey }), await listen('posts', { api_key: apiKey })]
    for (const socket of sockets) await socket.atLeast(1)

    const documents = [{ n: 1 }, { n: 2 }, { n: 3 }]
    expectStatus(201, await api.post('/collections/posts/batch/documents/create', { documents }))

    for (const socket of sockets) {
      const heard = (await socket.atLeast(4)).slice(1)
      const seen = heard.map(({ event, data }) => [event, (data as { data: Fields }).data.n])
      expect(seen).toEqual([1, 2, 3].map((n) => ['create', n]))
      socket.close()
    }
  })

  test.each<[string, (deployed: Deployed) => unknown, string]>([
    ['a bad key', () => ({ api_key: 'svc_public_wrong' }), 'posts'],
    ['no key', () => ({}), 'posts'],
    ['what is no JSON', () => 'hello', 'posts'],
    ['a missing collection', ({ apiKey }) => ({ api_key: apiKey }), 'nowhere'],
    ['a collection without permission', ({ apiKey }) => ({ api_key: apiKey }), 'guarded'],
    ['filters that are none', ({ apiKey }) => ({ api_key: apiKey, filters: { n__gte: {} } }), 'posts'],
  ])('realtime-bad-key-is-refused: answers an error and closes on %s', async (_, first, collection) => {
    const deployed = await withPosts()
    const owner = apiOf({ 'x-api-key': deployed.secretKey }, '', 'd')
    await owner.post('/collections', { name: 'guarded', permissions: { read: ['admin'] } })

    const socket = await listen(collection, first(deployed))

    expect(await socket.closed).toBe(1008)
    expect(socket.heard).toEqual([
      { error: expect.stringMatching(/./), error_detail: expect.stringMatching(/^[A-Z_]+$/) },
    ])
  })

  test('answers a ping, ignores other messages, and ends with its collection', async () => {
    const { api, apiKey } = await withPosts()
    const socket = await listen('posts', { api_key: apiKey })
    await socket.atLeast(1)

    for (const message of ['ping', { type: 'ping' }, 'what?', { type: 'subscribe', collection: 'notes' }])
      socket.say(message)
    expect(await socket.atLeast(3)).toEqual([expect.anything(), { event: 'pong' }, { event: 'pong' }])
    expectStatus(204, await api.delete('/collections/posts'))

    expect(await socket.closed).toBe(1008)
    expect(socket.heard.at(-1)).toMatchObject({ error_detail: 'INVALID_COLLECTION' })
  })

  test('is served in every dialect, with events by their plain names and documents in its shape', async () => {
    for (const [dialect, id] of Object.entries({ a: 'createdAt', b: 'created_at', c: 'createdAt' })) {
      const { api, apiKey } = await withPosts([], { dialect })
      const socket = await listen('posts', { api_key: apiKey })
      await socket.atLeast(1)
      await api.post('/collections/posts', { n: 1 })
      expect((await socket.atLeast(2))[1]).toMatchObject({ event: 'create', document: { [id]: expect.any(String) } })
      socket.close()
    }
  })

  test('is not served to plain requests', async () => {
    const { api } = await withPosts()

    expectFailure(await api.get('/realtime/collections/posts'), 426, 'UPGRADE_REQUIRED')
  })
})

describe('Lists', () => {
  const tea = { name: 'Green tea', rank: 2, note: 'x' }
  const milk = { name: 'milk', rank: 10, status: 'x' }

  test.each([
    ['filter-b-startswith', 'name_startswith=green', ['Green tea']],
    ['filter-b-endswith', 'name_endswith=TEA', ['Green tea']],
    ['filter-b-notin', 'rank_notin=2,3', ['milk']],
    ['filter-b-multi-field-search', 'name__or__note_contains=TEA', ['Green tea']],
    ['filter-b-multi-field-search, two fields', 'note__or__status_eq=x&sort=rank&order=asc', ['Green tea', 'milk']],
    ['order: descending where a sort has no direction', 'sort=rank', ['milk', 'Green tea']],
    ['order: ascending where it says so', 'sort=rank&order=asc', ['Green tea', 'milk']],
    ['order: alone, of the default order', 'order=asc', ['Green tea', 'milk']],
  ])('%s', async (_, query, names) => {
    expect(await (await withPosts([tea, milk])).names(query)).toEqual(names)
  })

  test('list-select-fields: keeps a field by its bare name and behind "data."', async () => {
    const { list } = await withPosts([tea])

    for (const query of ['select=name', 'select=data.name']) {
      expect((await list(query)).map(({ data }) => data)).toEqual([{ name: tea.name }])
    }
  })

  test('count-with-filter, aggregate', async () => {
    const { api } = await withPosts([tea, milk])
    const ask = async (what: string) =>
      expectStatus(200, await api.get(`/collections/posts/query/documents/${what}`)).body

    expect(await ask('count?rank_gt=5&limit=0&sort=name')).toEqual({ count: 1 })
    expect(await ask('aggregate?field=rank&operation=sum')).toEqual({
      ...{ field: 'rank', operation: 'sum', result: 12, collection: 'posts' },
    })
  })

  test('users-list: answers data and whether there is more', async () => {
    const deployed = await aDeployed()
    for (const name of ['Ada', 'Bob', 'Cas']) await signUp(deployed, { data: { name } })

    const ask = async (query: string) =>
      expectStatus(200, await deployed.api.get(`/auth-collections/users?${query}`)).body
    const first = (await ask('limit=2&sort=email&order=asc')) as { data: Fields[] }

    expect(first).toMatchObject({ total: 3, limit: 2, offset: 0, has_more: true })
    expect(first.data).toHaveLength(2)
    expect(await ask('limit=2&offset=2')).toMatchObject({ has_more: false })
  })
})

describe('Populated links', () => {
  async function aLibrary() {
    const deployed = await withPosts()
    const { user } = await signUp(deployed, { data: { name: 'Ada' } })
    const create = async (collection: string, data: Fields) =>
      expectStatus(201, await deployed.api.post(`/collections/documents?collection=${collection}`, { data }))
        .body as Fields
    const city = await create('cities', { name: 'Delft' })
    const person = await create('people', { name: 'Bob', city_id: city.id })
    const get = async ({ id }: Fields, query: string) => {
      const answer = await deployed.api.get(`/collections/posts/documents/${id}?${query}`)
      return (expectStatus(200, answer).body as { data: Fields }).data
    }
    return { ...deployed, user, city, person, create: (data: Fields) => create('posts', data), get }
  }

  test('populate-by-id-suffix: takes the id of x_id and puts the record in x', async () => {
    const { user, city, person, create, get } = await aLibrary()
    const post = await create({ author_id: person.id, owner_id: user.id, title: 'x' })

    const data = await get(post, 'populate=author.city&populate=owner:appuser')

    expect(data).toMatchObject({ author_id: person.id, owner_id: user.id, title: 'x' })
    expect(data.author).toMatchObject({ id: person.id, data: { name: 'Bob', city_id: city.id, city: { id: city.id } } })
    expect(keysOf(data.author)).toEqual(['created_at', 'data', 'id'])
    expect(data.owner).toMatchObject({ email: user.email, data: { name: 'Ada' } })
  })

  test('takes x, then x_ids, keeps order, and leaves what resolves to nothing', async () => {
    const { city, person, create, get } = await aLibrary()
    const nobody = '01999999-9999-7999-8999-999999999999'

    const plain = await get(await create({ author: person.id, author_id: '' }), 'populate=author')
    const many = await get(await create({ author_ids: [city.id, nobody, person.id] }), 'populate=author')
    const none = await get(await create({ author_id: nobody }), 'populate=author')
    const both = await get(await create({ author_id: nobody, author: 'somebody' }), 'populate=author')

    expect(plain).toMatchObject({ author: { id: person.id }, author_id: '' })
    expect(many.author).toMatchObject([{ id: city.id }, nobody, { id: person.id }])
    expect(none).toEqual({ author_id: nobody })
    expect(both).toEqual({ author_id: nobody, author: 'somebody' })
  })

  test('filters and selects fields of a link by its name', async () => {
    const { api, person, create } = await aLibrary()
    await create({ title: 'one', author_id: person.id })
    await create({ title: 'two', author: person.id })
    await create({ title: 'three', author_ids: ['01999999-9999-7999-8999-999999999999'] })
    const ask = async (query: string) =>
      (
        expectStatus(200, await api.get(`/collections/posts/documents?order=asc&${query}`)).body as { data: Fields }[]
      ).map(({ data }) => data)

    const found = await ask('author.name=Bob&populate=author&select=title,author.name')
    const city = await ask('author.city.name=Delft&populate=author.city&select=title')

    expect(found.map(({ title }) => title)).toEqual(['one', 'two'])
    expect(found[0]).toEqual({ title: 'one', author: expect.objectContaining({ data: { name: 'Bob' } }) })
    expect(city).toEqual([{ title: 'one' }, { title: 'two' }])
  })
})

describe('Collections', () => {
  test('doc-create-makes-the-collection, but no read and no user alone does', async () => {
    const deployed = await aDeployed()
    const { token } = await signUp(deployed)
    const alone = apiOf({ authorization: `Bearer ${token}` }, '', 'd')

    expectFailure(await deployed.api.get('/collections/posts/documents'), 404, 'NOT_FOUND')
    expectFailure(await alone.post('/collections/documents?collection=posts', { data: {} }), 404, 'NOT_FOUND')
    expectFailure(await deployed.api.post('/collections/documents?collection=no/name', {}), 400, 'INVALID_COLLECTION')
    const made = await Promise.all(
      [1, 2, 3].map((n) => deployed.api.post('/collections/documents?collection=posts', { n })),
    )

    for (const answer of made) expectStatus(201, answer)
    expect((await deployed.api.get('/collections/posts/documents')).body).toHaveLength(3)
  })

  test.each([
    ['off', { createOnWrite: 'off' }, 404, 404],
    ['touch', { createOnWrite: 'touch' }, 201, 200],
    ['null in another dialect', { dialect: 'b' }, 404, 404],
    ['create in another dialect', { dialect: 'a', createOnWrite: 'create' }, 201, 404],
  ] as const)('createOnWrite %s', async (_, settings, written, asked) => {
    const { api } = await aDeployed(settings)

    expectStatus(asked, await api.get('/collections/notes/documents'))
    expectStatus(written, await api.post('/collections/posts/documents', { n: 1 }))
  })

  test('a deletion is 204 without a body', async () => {
    const { api } = await withPosts()

    const answer = expectStatus(204, await api.delete('/collections/posts'))

    expect(answer.text).toBe('')
  })

  test('file-direct-upload: stores a file, and answers its address', async () => {
    const { api } = await aDeployed()

    const answer = expectStatus(
      200,
      await sendForm(api, 'POST', '/collections/file?directory=letters', [fileOf('file', 'Dear', 'a.txt')]),
    )

    expect(answer.body).toEqual({
      ...{ status: 'success', message: expect.any(String), url: expect.any(String), filename: 'a.txt', size: 4 },
    })
    expect((await read((answer.body as Fields).url)).text).toBe('Dear')
    expectFailure(await api.post('/collections', { name: 'file' }), 400, 'INVALID_COLLECTION')
  })
})

describe('Accounts', () => {
  test('sign-up and login answer a pair, with roles that the project allows', async () => {
    const deployed = await aDeployed({ selfRoles: ['editor'] })
    const { email, password, user, token } = await signUp(deployed, { roles: ['editor'], data: { name: 'Ada' } })

    expect(user).toMatchObject({ email, roles: ['editor'], data: { name: 'Ada' }, email_verified_at: null })
    const login = expectStatus(200, await deployed.api.post('/auth-collections/login', { email, password })).body
    expect(keysOf(login)).toEqual(['access_token', 'user'])
    expect((login as Fields).access_token).not.toBe(token)
  })

  test('selfRoles any gives every role that is asked for', async () => {
    const { user } = await signUp(await aDeployed({ selfRoles: 'any' }), { roles: ['admin'] })

    expect(user.roles).toEqual(['admin'])
  })

  test('sign-up with files puts their addresses into the user’s data', async () => {
    const { api } = await aDeployed()
    const account = { email: anEmail(), password: goodPassword, data: { name: 'Ada' } }

    const answer = await sendForm(api, 'POST', '/auth-collections/signup', [
      textOf('data', account),
      fileOf('avatar', 'face'),
    ])

    const { user } = expectStatus(200, answer).body as { user: { data: Fields } }
    expect(user.data).toEqual({ name: 'Ada', avatar: expect.stringContaining('http') })
  })

  async function enrol(deployed: Deployed) {
    const account = await signUp(deployed)
    const { body } = expectStatus(200, await account.api.post('/auth-collections/2fa/enable', {}))
    expect(keysOf(body)).toEqual(['message', 'otpauth_url', 'qr_code', 'secret'])
    const { secret } = body as { secret: string }
    expectStatus(200, await account.api.post('/auth/2fa/verify', { code: await generate({ secret }) }))
    const logIn = async () =>
      expectStatus(
        200,
        await deployed.api.post('/auth-collections/login', { email: account.email, password: goodPassword }),
      ).body
    const finish = (code: string) => deployed.api.post('/auth-collections/2fa/verify', { email: account.email, code })
    return { ...account, secret, logIn, finish }
  }

  test('two-factor-login: a login takes the code of the app', async () => {
    const { secret, logIn, finish, email } = await enrol(await aDeployed())

    expect(await logIn()).toMatchObject({ requires_2fa: true })
    expectFailure(await finish('not a code'), 401, 'INVALID_CREDENTIALS')
    const epoch = Math.floor(Date.now() / 1_000) + 30
    const { body } = expectStatus(200, await finish(await generate({ secret, epoch })))

    expect(body).toMatchObject({ access_token: expect.any(String), user: { email } })
  })

  test('two-factor-disable: takes no code soon after the login', async () => {
    const deployed = await aDeployed()
    const { api, logIn } = await enrol(deployed)

    expectStatus(200, await api.post('/auth-collections/2fa/disable', {}))

    expect(await logIn()).toHaveProperty('access_token')
    expectFailure(await api.post('/auth-collections/2fa/disable', {}), 404, 'NOT_FOUND')
  })

  test('two-factor-disable: takes a code ten minutes after the login', async () => {
    const deployed = await aDeployed()
    const { api, secret } = await enrol(deployed)
    const minutes = 11
    await control.clock.ofProject.change({ project: deployed.id, advance: minutes * 60_000 })
    const code = await generate({ secret, epoch: Math.floor(Date.now() / 1_000) + minutes * 60 })

    expectFailure(await api.post('/auth-collections/2fa/disable', {}), 401, 'INVALID_CREDENTIALS')
    expectStatus(200, await api.post('/auth-collections/2fa/disable', { code }))
  })

  test('two-factor-send-code: mails a code for a login that waits, once, and tells nobody of others', async () => {
    const deployed = await aDeployed()
    const { email, logIn, finish } = await enrol(deployed)
    const send = (to: string) => deployed.api.post('/auth-collections/2fa/send-code', { email: to })

    const before = [expectStatus(200, await send(email)).body, expectStatus(200, await send(anEmail('nobody'))).body]
    expect(await countMails(email)).toBe(0)
    await logIn()
    const after = [expectStatus(200, await send(email)).body, expectStatus(200, await send(email)).body]
    const { codes } = await mailTo(email)

    expect(new Set([...before, ...after].map((body) => JSON.stringify(body))).size).toBe(1)
    expect(await countMails(email)).toBe(1)
    expectStatus(200, await finish(codes[0] ?? ''))
  })

  test('email-verification-request, -resend: say when the mail ends, and that it is sent already', async () => {
    const deployed = await aDeployed()
    const { api, email } = await signUp(deployed)

    const sent = expectStatus(200, await api.post('/auth-collections/verify-email/send', {})).body
    const again = expectStatus(200, await api.post('/auth-collections/verify-email/resend', {})).body
    const token = tokenIn(await mailTo(email))
    const page = await send(service.url, { method: 'GET', path: `/verify-email?token=${token}` })
    const verified = expectStatus(200, await deployed.api.post('/auth-collections/verify-email/verify', { token })).body
    const late = expectStatus(200, await api.post('/auth-collections/verify-email/send', {})).body

    expect(sent).toEqual({ message: expect.any(String), expires_in_hours: 24 })
    expect([keysOf(again), keysOf(late)]).toEqual([['message'], ['message']])
    expect(page.text).toContain('Verify')
    expect(verified).toEqual({ message: expect.any(String), email_verified: true, verified_at: expect.any(String) })
    expect((await api.get('/auth-collections/user')).body).toMatchObject({ email_verified: true })
    expect(await countMails(email)).toBe(1)
  })

  test('password-reset-request: answers alike for every address, and the token sets a password', async () => {
    const deployed = await aDeployed()
    const { email } = await signUp(deployed)
    const ask = async (address: string) =>
      expectStatus(200, await deployed.api.post('/auth-collections/forgot-password', { email: address })).body

    expect(await ask(email)).toEqual(await ask(anEmail('nobody')))
    const token = tokenIn(await mailTo(email))
    const path = `/auth-collections/reset-password-page?token=${token}`
    const page = await send(service.url, { method: 'GET', path })
    const reset = { token, new_password: 'Another5Horse' }
    expectStatus(200, await deployed.api.post('/auth-collections/reset-password', reset))

    expect(page.text).toContain('password')
    expectStatus(200, await deployed.api.post('/auth-collections/login', { email, password: 'Another5Horse' }))
    expectFailure(await deployed.api.post('/auth-collections/reset-password', reset), 401, 'INVALID_TOKEN')
  })
})

describe('Descriptions and exports', () => {
  test('section 9 schema: tells types, nulls and samples of the newest documents, without hidden fields', async () => {
    const { api, secretKey } = await withPosts([
      { name: 'tea', rank: 2, note: null, secret: 'x' },
      { name: 'milk', rank: 'high', tags: ['a'] },
    ])
    const owner = apiOf({ 'x-api-key': secretKey }, '', 'd')
    expectStatus(200, await owner.patch('/collections/posts', { permissions: { hidden: { secret: ['admin'] } } }))

    const { body } = expectStatus(200, await api.get('/collections/posts/query/schema'))

    expect(body).toMatchObject({ collection: 'posts', document_count: 2, analyzed_documents: 2 })
    expect((body as { fields: Fields }).fields).toEqual({
      name: {
        types: { string: 2 },
        primary_type: 'string',
        nullable: false,
        null_percentage: 0,
        samples: ['milk', 'tea'],
      },
      rank: expect.objectContaining({ types: { number: 1, string: 1 }, nullable: false }),
      note: { types: { null: 1 }, primary_type: 'null', nullable: true, null_percentage: 100, samples: [] },
      tags: expect.objectContaining({ types: { array: 1 }, null_percentage: 50, samples: [] }),
    })
    expectFailure(await api.get('/collections/nowhere/query/schema'), 404, 'NOT_FOUND')
  })

  test('section 9 export: answers flat rows as JSON and as CSV that runs no formula, filtered, more than one page', async () => {
    const { api, apiKey } = await withPosts([{ name: '=1+1', text: 'a "b", c' }])
    const documents = Array.from({ length: 600 }, (_, n) => ({ n }))
    expectStatus(201, await api.post('/collections/posts/batch/documents/create', { documents }))

    const all = expectStatus(200, await api.get('/collections/posts/export'))
    const some = expectStatus(200, await api.get('/collections/posts/export?n_gte=598'))
    const csv = expectStatus(
      200,
      await send(service.url, {
        ...{ method: 'GET', path: '/collections/posts/export?format=csv&name_isnull=false' },
        headers: { 'x-api-key': apiKey },
      }),
    )

    expect(all.headers['content-disposition']).toBe('attachment; filename="export.json"')
    expect(JSON.parse(all.text)).toHaveLength(601)
    expect(JSON.parse(some.text)).toMatchObject([
      { id: expect.any(String), created_at: expect.any(String), n: 598 },
      { n: 599 },
    ])
    expect(csv.text.split('\r\n').map((line) => line.replace(/^[^,]+,[^,]+,/, ''))).toEqual([
      'name,text',
      '\'=1+1,"a ""b"", c"',
      '',
    ])
    expectFailure(await api.get('/collections/posts/export?format=xml'), 400, 'INVALID_QUERY')
    expectFailure(await api.get('/collections/nowhere/export'), 404, 'NOT_FOUND')
  })

  test('section 9 export: hides what a list hides', async () => {
    const { api, secretKey } = await withPosts([{ name: 'tea', secret: 'x' }])
    const owner = apiOf({ 'x-api-key': secretKey }, '', 'd')
    expectStatus(200, await owner.patch('/collections/posts', { permissions: { hidden: { secret: ['admin'] } } }))

    const { text } = expectStatus(200, await api.get('/collections/posts/export'))
    expectStatus(200, await owner.patch('/collections/posts', { permissions: { read: ['admin'] } }))

    expect(text).toContain('tea')
    expect(text).not.toContain('secret')
    expectStatus(401, await api.get('/collections/posts/export?format=csv'))
    expectStatus(401, await api.get('/collections/posts/query/schema'))
  })

  test('section 10 batches are changed by PATCH with a list, and deleted by DELETE with ids', async () => {
    const { api, rows } = await withPosts([{ n: 1 }, { n: 2 }])
    const [one, two] = rows.map(({ id }) => String(id))

    const updates = [{ id: one, data: { n: 3 } }]
    const updated = await api.send('PATCH', '/collections/posts/batch/documents/update', {}, { updates })
    const twice = await api.send(
      'PATCH',
      '/collections/posts/batch/documents/update',
      {},
      { updates: [...updates, ...updates] },
    )
    const deleted = await api.send('DELETE', '/collections/posts/batch/documents/delete', {}, { ids: [two] })

    expect(expectStatus(200, updated).body).toMatchObject({ status: 'success', count: 1 })
    expectStatus(422, twice)
    expect(expectStatus(200, deleted).body).toMatchObject({ status: 'success', count: 1 })
    expect((await api.get('/collections/posts/documents')).body).toMatchObject([{ id: one, data: { n: 3 } }])
  })

  test('section 5 a create that names no collection is 422', async () => {
    const { api } = await aDeployed()

    expectFailure(await api.post('/collections/documents', { data: { n: 1 } }), 422, 'VALIDATION_ERROR')
  })

  test('section 11 a sign-up may have a phone number, and section 13 a collection may have no webhook', async () => {
    const { api } = await aDeployed()
    const account = { email: anEmail(), password: goodPassword, phone_number: '+31 10 1234567' }

    expectStatus(200, await api.post('/auth-collections/signup/', account))
    expectStatus(201, await api.post('/collections', { name: 'posts', webhook_url: null }))
    expectStatus(422, await api.post('/collections', { name: 'notes', webhook_url: 'https://example.com/hook' }))
  })

  test('section 3 names and ids of collections, a slash at the end, and a content type without a body', async () => {
    const { api, rows } = await withPosts([{ n: 1 }])
    const [{ collection_id: id } = {}] = rows

    expectStatus(201, await api.post(`/collections/documents?collection=${id}`, { n: 2 }))
    for (const name of ['posts', id]) {
      const answer = await api.send('GET', `/collections/${name}/documents/`, { 'content-type': 'application/json' })
      expect(expectStatus(200, answer).body).toHaveLength(2)
    }
  })

  test('section 5 several files under a name are an array, and a part that is not JSON is 400', async () => {
    const { api } = await withPosts()
    const path = '/collections/posts/documents'

    const many = await sendForm(api, 'POST', path, [fileOf('letters', 'one'), fileOf('letters', 'two')])
    const bad = await sendForm(api, 'POST', path, [textOf('data', '{')])

    expect((expectStatus(201, many).body as { data: Fields }).data.letters).toHaveLength(2)
    expectStatus(400, bad)
  })

  test('section 11 login-google answers the address at the provider', async () => {
    const { api } = await aDeployed()
    const { body } = expectStatus(200, await api.get('/auth-collections/login-google'))

    expect((body as { url: string }).url).toMatch(/^https?:\/\/.*state=/)
  })
})
