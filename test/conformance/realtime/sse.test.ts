import { EventSource } from 'eventsource'
import { expect, test } from 'vitest'
import { aTown } from '../../fixtures/accounts.js'
import { openEvents } from '../../fixtures/realtime/streams.js'
import { apiOf, service } from '../../fixtures/service.js'
import { expectFailure, expectStatus, inDialects, someDocuments, type Wire } from '../../fixtures/wires.js'

/** A stream of `posts`, in the dialect that its header names. */
async function aStream(wire: Wire, query = '', headers = {}) {
  const world = await someDocuments(wire)
  const own = { 'x-api-key': world.project.apiKey, 'svc-dialect': wire.name }
  const open = (query: string, headers = {}) =>
    openEvents(service.url, `/realtime/sse/posts${query}`, { ...own, ...headers })
  return { ...world, open, events: await open(query, headers) }
}

inDialects('Server-sent events', (wire) => {
  test('RTM-07 the data are JSON with event and document, in the form of the dialect', async () => {
    const filters = encodeURIComponent(JSON.stringify({ [`n${wire.mark}gte`]: 2 }))
    const { events, posts, api } = await aStream(wire, `?filters=${filters}`)

    await posts.fill([{ n: 1 }, { n: 2 }])
    const { id } = await posts.create({ n: 3 })
    await api.delete(`/collections/posts/${id}`)

    const heard = await events.atLeast(3)
    expect(events.status).toBe(200)
    expect(events.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store, no-transform',
    })
    expect(events.text()).toMatch(/^retry: \d+\nid: \d+\n\n/)
    expect(heard.map(({ event }) => event)).toEqual(
      wire.like === 'b' ? ['create', 'create', 'delete'] : ['created', 'created', 'deleted'],
    )
    expect(heard[2]).toMatchObject(
      wire.like === 'b' ? { data: { id, data: { n: 3 } } } : { type: 'event', collection: 'posts', document: { id } },
    )
    expect(events.ids.map(Number)).toEqual(heard.map(({ seq }) => seq))
    events.close()
  })

  test('contract 9.4 Last-Event-ID resumes without a gap', async () => {
    const { events, posts, open } = await aStream(wire)
    await posts.fill([{ n: 0 }, { n: 1 }, { n: 2 }])
    await events.atLeast(3)
    events.close()
    await posts.create({ n: 3 })

    for (const again of [await open('', { 'last-event-id': events.ids[0] }), await open(`?since=${events.ids[0]}`)]) {
      expect((await again.atLeast(3)).map(({ seq }) => seq)).toEqual([1, 2, 3].map((at) => Number(events.ids[0]) + at))
      again.close()
    }
    const future = await open('?since=999999')
    expect(await future.atLeast(1)).toEqual([{ type: 'error', code: 'RESYNC', message: expect.any(String) }])
    future.close()
  })

  test('contract 9.4 a stream that sent nothing before it was cut is resumed without a gap', async () => {
    const { events, posts, open } = await aStream(wire)
    await expect.poll(() => events.text()).toMatch(/^retry: \d+\nid: \d+\n\n/)
    events.close()
    await posts.create({ n: 1 })

    const [, id = ''] = /id: (\d+)/.exec(events.text()) ?? []
    const again = await open('', { 'last-event-id': id })

    expect((await again.atLeast(1))[0]?.seq).toBe(Number(id) + 1)
    again.close()
  })

  test('contract 9.5 a ticket opens one stream, in the place of a key', async () => {
    const { api, posts, project } = await someDocuments(wire)
    const body = wire.record(expectStatus(201, await api.post('/realtime/tickets', {}))) as { ticket: string }
    const path = `/realtime/sse/posts?ticket=${body.ticket}&dialect=${wire.name}`

    const events = await openEvents(service.url, path)
    const again = await openEvents(service.url, path)
    await posts.create({ n: 1 })

    const time = wire.like === 'b' ? 'expires_at' : 'expiresAt'
    expect(body).toEqual({ ticket: expect.stringMatching(/^[\w-]{20,}$/), [time]: expect.any(String) })
    expect(events.status).toBe(200)
    expect((await events.atLeast(1))[0]).toHaveProperty(wire.like === 'b' ? 'data' : 'document')
    expect(again.status).toBe(401)
    const keyed = await openEvents(service.url, `/realtime/sse/posts?key=${project.apiKey}&ticket=`)
    expect(keyed.status).toBe(401)
    events.close()
  })

  test('contract 9.5 a ticket of a user has the user’s rights, and an unverified user may have one', async () => {
    const { anAccount, collection } = await aTown(wire, { selfRoles: ['insider'], requireVerifiedEmail: true })
    await collection('secrets', { permissions: { read: ['insider'] } })
    const [insider, outsider] = [await anAccount({ roles: ['insider'] }), await anAccount()]
    const open = async ({ api }: typeof insider) => {
      const { ticket } = wire.record(expectStatus(201, await api.post('/realtime/tickets', {}))) as { ticket: string }
      return openEvents(service.url, `/realtime/sse/secrets?ticket=${ticket}`)
    }

    const [inside, outside] = [await open(insider), await open(outsider)]

    expect([inside.status, outside.status]).toEqual([200, 403])
    inside.close()
  })

  test('contract 9.5 a missing collection is 404, without read 403, and what is no filter 400', async () => {
    const { api, collection, project } = await aTown(wire)
    await collection('posts')
    await collection('secrets', { permissions: { read: ['nobody'] } })
    const nobody = apiOf({}, wire.name)

    expectFailure(await api.get('/realtime/sse/nowhere'), 404, 'NOT_FOUND')
    expectFailure(await api.get('/realtime/sse/secrets'), 401, 'UNAUTHORIZED')
    expectFailure(await nobody.get('/realtime/sse/posts'), 401, 'UNAUTHORIZED')
    expectFailure(await nobody.get(`/realtime/sse/posts?x-api-key=${project.apiKey}`), 401, 'UNAUTHORIZED')
    const deep = `{"a":${'['.repeat(1_000)}${']'.repeat(1_000)}}`
    for (const filters of ['x', '[]', '{"a":{}}', '{"a":', deep]) {
      const answer = await api.get(`/realtime/sse/posts?filters=${encodeURIComponent(filters)}`)
      expectFailure(answer, 400, 'INVALID_FILTER')
    }
    expectFailure(await api.get('/realtime/sse/posts?since=x'), 400, 'INVALID_QUERY')
    expectFailure(await api.get('/realtime/sse/posts?live=maybe'), 400, 'INVALID_QUERY')
    expectFailure(await api.get('/realtime/sse/posts?filters={}&filters={}'), 400, 'INVALID_QUERY')
    expectFailure(await api.get('/realtime/sse/posts?dialect=z'), 400, 'INVALID_DIALECT')
  })

  test('contract 10.9 HEAD answers with the headers of a stream, and is over', async () => {
    const { api } = await someDocuments(wire)

    const { status, headers } = await api.send('HEAD', '/realtime/sse/posts')

    expect([status, headers['content-type']]).toEqual([200, 'text/event-stream; charset=utf-8'])
  })

  test('contract 9.5 an EventSource, which sends no headers, listens with a ticket', async () => {
    const { api, posts } = await someDocuments(wire)
    const { ticket } = wire.record(await api.post('/realtime/tickets', {})) as { ticket: string }
    const source = new EventSource(`${service.url}/realtime/sse/posts?ticket=${ticket}&dialect=${wire.name}`)
    const heard: MessageEvent[] = []
    source.onmessage = (event) => heard.push(event)
    await new Promise((resolve) => source.addEventListener('open', resolve))

    await posts.create({ n: 1 })

    await expect.poll(() => heard.length).toBe(1)
    const event = JSON.parse(String(heard[0]?.data)) as { seq: number }
    expect(heard[0]?.lastEventId).toBe(String(event.seq))
    source.close()
  })

  test('contract 9.3 live=true tells of entering and leaving a filter', async () => {
    const { events, posts, api } = await aStream(wire, `?live=true&filters=${encodeURIComponent('{"done":false}')}`)
    const { id } = await posts.create({ done: true })

    for (const done of [false, true]) await api.patch(`/collections/posts/${id}`, { done })

    const names = (await events.atLeast(2)).map(({ event }) => event)
    expect(names).toEqual(wire.like === 'b' ? ['create', 'delete'] : ['created', 'deleted'])
    events.close()
  })
})
