import { expect, test } from 'vitest'
import { aTown } from '../../fixtures/accounts.js'
import { openAuthenticated, openSocket, refusedWith } from '../../fixtures/realtime/streams.js'
import { service } from '../../fixtures/service.js'
import { expectStatus, inDialects, someDocuments, type Wire } from '../../fixtures/wires.js'

const names = {
  a: { created: 'created', updated: 'updated', deleted: 'deleted' },
  b: { created: 'create', updated: 'update', deleted: 'delete' },
  c: { created: 'created', updated: 'updated', deleted: 'deleted' },
} as const

/** A project with `posts`, and a socket of its key. */
async function aSocket(wire: Wire) {
  const world = await someDocuments(wire)
  const socket = await openAuthenticated(service.url, world.project.apiKey, wire.name)
  return { ...world, socket }
}

/** The content of an event, in any form. */
function sent(wire: Wire, event: Record<string, unknown>) {
  const document = (wire.like === 'b' ? event.data : event.document) as { id: string; data: Record<string, unknown> }
  return { event: event.event, id: document.id, data: document.data }
}

inDialects('The WebSocket', (wire) => {
  const { created, updated, deleted } = names[wire.like]

  test('RTM-01 auth, subscribe with filters and unsubscribe are acknowledged', async () => {
    const { posts, socket } = await aSocket(wire)

    const filters = { name: 'tea' }
    const subscribed = await socket.ask({ type: 'subscribe', collection: 'posts', filters })
    await posts.create({ name: 'tea' })
    await socket.atLeast(3)
    const unsubscribed = await socket.ask({ type: 'unsubscribe', collection: 'posts' })

    expect(socket.heard[0]).toEqual({ type: 'authenticated' })
    expect(subscribed).toEqual({ type: 'subscribed', collection: 'posts', filters })
    expect(unsubscribed).toEqual({ type: 'unsubscribed', collection: 'posts' })
  })

  test('RTM-08 connect, auth, subscribe, events, unsubscribe, and then no more events', async () => {
    const { posts, socket } = await aSocket(wire)

    await socket.ask({ type: 'subscribe', collection: 'posts' })
    await posts.create({ name: 'tea' })
    await socket.atLeast(3)
    await socket.ask({ type: 'unsubscribe', collection: 'posts' })
    await posts.create({ name: 'tea' })
    expect(await socket.ask({ type: 'ping' })).toEqual({ type: 'pong' })
    expect(socket.heard).toHaveLength(5)
  })

  test('RTM-02 an event names its collection and holds the document', async () => {
    const { socket, posts } = await aSocket(wire)
    await socket.ask({ type: 'subscribe', collection: 'posts' })

    const { id, createdAt } = await posts.create({ name: 'one' })

    const [event] = (await socket.atLeast(3)).slice(2)
    expect(event).toEqual(
      wire.like === 'b'
        ? {
            event: 'create',
            seq: expect.any(Number),
            data: expect.objectContaining({
              id,
              collection_id: posts.id,
              data: { name: 'one' },
              created_at: createdAt,
            }),
          }
        : {
            type: 'event',
            collection: 'posts',
            event: 'created',
            seq: expect.any(Number),
            document: { id, data: { name: 'one' }, createdAt },
          },
    )
  })

  test('RTM-03 each kind of change has the name of the dialect', async () => {
    const { socket, api, posts } = await aSocket(wire)
    await socket.ask({ type: 'subscribe', collection: 'posts' })

    const { id } = await posts.create({ name: 'one' })
    await api.patch(`/collections/posts/${id}`, { name: 'two' })
    await api.delete(`/collections/posts/${id}`)

    const events = (await socket.atLeast(5)).slice(2)
    expect(events.map((event) => sent(wire, event))).toEqual([
      { event: created, id, data: { name: 'one' } },
      { event: updated, id, data: { name: 'two' } },
      { event: deleted, id, data: { name: 'two' } },
    ])
  })

  test('RTM-04 a subscription receives its collection’s events, and those that its filters match', async () => {
    const { socket, posts, collection, api } = await aSocket(wire)
    const notes = await collection('notes')
    const other = await someDocuments(wire)
    const filters = { [`age${wire.mark}gte`]: 18, '[or]name': 'ada', '[or:_a__]city': ['x'], '[or:_a__]town': true }
    await socket.ask({ type: 'subscribe', collection: 'posts', filters })

    await notes.create({ name: 'ada', age: 30, city: 'x' })
    await other.posts.create({ name: 'ada', age: 30, city: 'x' })
    await posts.create({ name: 'ada', age: 17, city: 'x' })
    const { id } = await posts.create({ name: 'ada', age: 18, town: true })
    await posts.create({ name: 'ada', age: 40 })
    await posts.create({ name: 'bob', age: 40, city: 'x' })
    await api.patch(`/collections/posts/${id}`, { age: 5 })
    await posts.create({ name: 'ada', age: 19, city: 'x', last: true })

    const events = (await socket.atLeast(4)).slice(2).map((event) => sent(wire, event))
    expect(events.map(({ data }) => data.age)).toEqual([18, 19])
    expect(socket.heard).toHaveLength(4)
  })

  test('contract 4.2 filters compare times as a list does', async () => {
    const { api, posts, socket } = await aSocket(wire)
    expectStatus(200, await api.patch('/api/collections/posts', { schema: { due: { type: 'datetime' } } }))
    const filters = {
      [`createdAt${wire.mark}gt`]: '2020-01-01T00:00:00-08:00',
      [`due${wire.mark}lte`]: '2026-03-01T00:00+02:00',
    }
    await socket.ask({ type: 'subscribe', collection: 'posts', filters })
    for (const due of ['2026-02-28T22:00:00.1Z', '2026-02-28T23:59:00+02:00', '2026-03-01T00:00:00+02:00']) {
      await posts.create({ due })
    }

    const events = (await socket.atLeast(4)).slice(2).map((event) => sent(wire, event))

    expect(events.map(({ data }) => data.due)).toEqual(['2026-02-28T23:59:00+02:00', '2026-03-01T00:00:00+02:00'])
    const failure = await socket.ask({ type: 'subscribe', collection: 'posts', filters: { due: 'soon' } })
    expect(failure).toMatchObject({ type: 'error', code: 'INVALID_FILTER', collection: 'posts' })
  })

  test('RTM-05 auth comes before subscribe, and a wrong token is UNAUTHORIZED', async () => {
    const { project } = await someDocuments(wire)
    const socket = await openSocket(service.url, wire.name)
    const unauthorized = { type: 'error', code: 'UNAUTHORIZED', message: expect.any(String) }

    expect(await socket.ask({ type: 'subscribe', collection: 'posts' })).toEqual({
      ...unauthorized,
      collection: 'posts',
    })
    for (const token of ['wrong', '', undefined, 5, 'a.b.c', `${project.apiKey}x`]) {
      expect(await socket.ask({ type: 'auth', token })).toEqual(unauthorized)
    }
    expect(await socket.ask({ type: 'auth', token: project.apiKey })).toEqual({ type: 'authenticated' })
    socket.close()
  })

  test('RTM-06 a missing collection is INVALID_COLLECTION', async () => {
    const { socket } = await aSocket(wire)

    for (const collection of ['nowhere', '', 'no name']) {
      const answer = await socket.ask({ type: 'subscribe', collection })
      expect(answer).toEqual({ type: 'error', code: 'INVALID_COLLECTION', message: expect.any(String), collection })
    }
  })

  test('RTM-09 a batch is one event per document, in order, and users are none', async () => {
    const { anAccount, collection, project, api } = await aTown(wire)
    const posts = await collection('posts')
    const socket = await openAuthenticated(service.url, project.apiKey, wire.name)
    await socket.ask({ type: 'subscribe', collection: 'posts' })

    await anAccount()
    const rows = await posts.fill([{ n: 1 }, { n: 2 }, { n: 3 }])
    const updates = Object.fromEntries(rows.map(({ id }, at) => [id, { data: { n: at + 10 } }]))
    await api.post('/collections/posts/batch/documents/update', { updates })
    await api.post('/collections/posts/batch-delete', { document_ids: rows.map(({ id }) => id) })

    const events = (await socket.atLeast(11)).slice(2)
    expect(events.map((event) => sent(wire, event).event)).toEqual(
      [created, updated, deleted].flatMap((name) => [name, name, name]),
    )
    const seqs = events.map(({ seq }) => Number(seq))
    expect(seqs).toEqual(seqs.map((_, at) => (seqs[0] ?? 0) + at))
    expect(events.slice(0, 3).map((event) => sent(wire, event).id)).toEqual(rows.map(({ id }) => id))
  })

  test('contract 9.3 "live" is true or false, and nothing that looks like it', async () => {
    const { socket } = await aSocket(wire)

    for (const live of ['true', 1, null]) {
      const answer = await socket.ask({ type: 'subscribe', collection: 'posts', live })
      expect(answer).toMatchObject({ type: 'error', code: 'INVALID_MESSAGE', message: '"live" must be true or false.' })
    }
  })

  test('contract 9.3 with "live", entering a filter is created and leaving it is deleted', async () => {
    const { socket, posts, api } = await aSocket(wire)
    const { id } = await posts.create({ done: true, n: 0 })
    await socket.ask({ type: 'subscribe', collection: 'posts', filters: { done: false }, live: true })

    for (const done of [false, false, true, true]) await api.patch(`/collections/posts/${id}`, { done })
    await api.delete(`/collections/posts/${id}`)
    await posts.create({ done: false, n: 1 })

    const events = (await socket.atLeast(6)).slice(2).map((event) => sent(wire, event))
    expect(events.map(({ event, data }) => [event, data.n])).toEqual([
      [created, 0],
      [updated, 0],
      [deleted, 0],
      [created, 1],
    ])
  })

  test('contract 9.4 "since" replays what was missed, after "subscribed", each once and in order', async () => {
    const { socket, posts, project } = await aSocket(wire)
    await socket.ask({ type: 'subscribe', collection: 'posts' })
    await posts.fill(Array.from({ length: 700 }, (_, n) => ({ n })))
    const seqs = (await socket.atLeast(702)).slice(2).map(({ seq }) => Number(seq))
    socket.close()
    await posts.create({ n: 700 })

    const second = await openAuthenticated(service.url, project.apiKey, wire.name)
    second.say({ type: 'subscribe', collection: 'posts', since: seqs[99] })
    await posts.create({ n: 701 })

    const [subscribed, ...rest] = (await second.atLeast(605)).slice(1)
    const events = rest.filter(({ type }) => type !== 'live')
    expect(subscribed).toMatchObject({ type: 'subscribed' })
    expect(rest.filter(({ type }) => type === 'live')).toEqual([
      { type: 'live', collection: 'posts', seq: expect.any(Number) },
    ])
    expect(events.map((event) => sent(wire, event).data.n)).toEqual(Array.from({ length: 602 }, (_, at) => at + 100))
    expect(events.map(({ seq }) => seq)).toEqual(Array.from({ length: 602 }, (_, at) => (seqs[0] ?? 0) + 100 + at))
  })

  test('contract 9.4 a "since" of the future is RESYNC, and the stream goes on from now', async () => {
    const { socket, posts } = await aSocket(wire)

    socket.say({ type: 'subscribe', collection: 'posts', since: 1_000_000 })
    await socket.atLeast(4)
    await posts.create({ n: 1 })

    const [, subscribed, resync, live, event] = await socket.atLeast(5)
    expect(subscribed).toMatchObject({ type: 'subscribed' })
    expect(live).toMatchObject({ type: 'live', collection: 'posts' })
    expect(resync).toEqual({ type: 'error', code: 'RESYNC', message: expect.any(String), collection: 'posts' })
    expect(sent(wire, event ?? {}).data).toEqual({ n: 1 })
  })

  test('contract 9.1 what cannot be understood is INVALID_MESSAGE, and the connection stays', async () => {
    const { socket, posts } = await aSocket(wire)
    const wrong = ['', 'no json', '[]', '5', 'null', {}, { type: 'nothing' }, { type: 5 }, { type: 'constructor' }]

    for (const message of [...wrong, { type: 'subscribe' }, { type: 'unsubscribe', collection: 5 }]) {
      expect(await socket.ask(message)).toMatchObject({ type: 'error', code: 'INVALID_MESSAGE' })
    }
    const deep = { type: 'ping', a: `${'['.repeat(70)}${']'.repeat(70)}` }
    const wide = { type: 'ping', ...Object.fromEntries(Array.from({ length: 10_010 }, (_, at) => [`k${at}`, at])) }
    for (const message of [JSON.stringify(deep).replaceAll(/"(?=[[])|(?<=[\]])"/g, ''), wide]) {
      expect(await socket.ask(message)).toMatchObject({ type: 'error', code: 'INVALID_MESSAGE' })
    }
    for (const filters of [{ a: {} }, [], 'x', { [`a${wire.mark}isnull`]: 'maybe' }]) {
      const answer = await socket.ask({ type: 'subscribe', collection: 'posts', filters })
      expect(answer).toMatchObject({ type: 'error', code: 'INVALID_FILTER', collection: 'posts' })
    }
    await socket.ask({ type: 'subscribe', collection: 'posts' })
    await posts.create({})
    await socket.atLeast(socket.heard.length + 1)
  })

  test('contract 9.4 who asks for the position can resume before the first event', async () => {
    const { socket, posts, project } = await aSocket(wire)
    const { seq } = await socket.ask({ type: 'subscribe', collection: 'posts', position: true })
    socket.close()
    await posts.create({ n: 1 })

    const again = await openAuthenticated(service.url, project.apiKey, wire.name)
    again.say({ type: 'subscribe', collection: 'posts', since: seq })

    const [event, live] = (await again.atLeast(4)).slice(2)
    expect([event?.seq, live]).toEqual([
      Number(seq) + 1,
      { type: 'live', collection: 'posts', seq: expect.any(Number) },
    ])
  })

  test('contract 9.1 auth and subscribe may be sent back to back', async () => {
    const { project, posts } = await someDocuments(wire)
    const socket = await openSocket(service.url, wire.name)

    socket.say({ type: 'auth', token: project.apiKey })
    socket.say({ type: 'subscribe', collection: posts.id })
    socket.say({ type: 'unsubscribe', collection: posts.id })
    socket.say({ type: 'subscribe', collection: 'nowhere' })

    expect((await socket.atLeast(4)).map(({ type }) => type)).toEqual([
      'authenticated',
      'subscribed',
      'unsubscribed',
      'error',
    ])
  })

  test('contract 9.2 a second subscribe on a collection replaces the filters', async () => {
    const { socket, posts } = await aSocket(wire)
    await socket.ask({ type: 'subscribe', collection: 'posts', filters: { n: 1 } })
    await socket.ask({ type: 'subscribe', collection: 'posts', filters: { n: 2 } })

    await posts.fill([{ n: 1 }, { n: 2 }, { n: 3 }])

    expect((await socket.atLeast(4)).slice(3).map((event) => sent(wire, event).data)).toEqual([{ n: 2 }])
    await socket.ask({ type: 'ping' })
    expect(socket.heard).toHaveLength(5)
  })
})

inDialects(
  'The handshake',
  (wire) => {
    test('contract 10.5 pages of other origins and names of other hosts are refused', async () => {
      const { project } = await someDocuments(wire)

      expect(await refusedWith(`${service.url}/realtime`, { origin: 'https://evil.example' })).toBe(403)
      expect(await refusedWith(`${service.url}/realtime`, { origin: 'null' })).toBe(403)
      expect(await refusedWith(`${service.url}/realtime`, { host: 'evil.example' })).toBe(403)
      expect(await refusedWith(`${service.url}/elsewhere`)).toBe(404)
      expect(await refusedWith(`${service.url}/realtime?dialect=z`)).toBe(400)
      const socket = await openSocket(service.url, '', { origin: 'http://localhost:5173' })
      expect(await socket.ask({ type: 'auth', token: project.apiKey })).toEqual({ type: 'authenticated' })
      socket.close()
    })
  },
  ['a'],
)
