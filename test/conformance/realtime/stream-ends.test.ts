import { expect, test } from 'vitest'
import { aTown } from '../../fixtures/accounts.js'
import { openAuthenticated, openEvents } from '../../fixtures/realtime/streams.js'
import { service } from '../../fixtures/service.js'
import { expectStatus, inDialects, someDocuments } from '../../fixtures/wires.js'

inDialects('The end of a stream', (wire, { once }) => {
  test('contract 9.6 deleting a collection ends its subscriptions, without an event per document', async () => {
    const { project, posts, api } = await someDocuments(wire)
    const socket = await openAuthenticated(service.url, project.apiKey, wire.name)
    await socket.ask({ type: 'subscribe', collection: 'posts' })
    const headers = { 'x-api-key': project.apiKey, 'svc-dialect': wire.name }
    const events = await openEvents(service.url, '/realtime/sse/posts', headers)
    await posts.create({})

    expectStatus(wire.statuses.removedCollection, await api.delete('/collections/posts'))

    const ended = { type: 'error', code: 'INVALID_COLLECTION', message: expect.any(String) }
    expect((await socket.atLeast(4))[3]).toEqual({ ...ended, collection: 'posts' })
    await events.closed
    expect(events.heard[1]).toEqual(ended)
    expect(await socket.ask({ type: 'ping' })).toEqual({ type: 'pong' })
    expect(socket.heard).toHaveLength(5)
  })

  test('contract 5.1 renaming a collection ends the subscriptions by its name', async () => {
    const { project, posts, api } = await someDocuments(wire)
    const socket = await openAuthenticated(service.url, project.apiKey, wire.name)
    await socket.ask({ type: 'subscribe', collection: 'posts' })
    await socket.ask({ type: 'subscribe', collection: posts.id })

    expectStatus(200, await api.patch('/collections/posts', { name: 'letters' }))
    expect((await socket.atLeast(4))[3]).toMatchObject({ code: 'INVALID_COLLECTION', collection: 'posts' })
    expectStatus(201, await api.post('/collections/letters', { n: 1 }))

    await socket.atLeast(5)
    await socket.ask({ type: 'ping' })
    expect(socket.heard).toHaveLength(6)
  })

  once('contract 9.2 a subscription that is replaced while events flow misses none, and tells none twice', async () => {
    const { project, posts } = await someDocuments(wire)
    const socket = await openAuthenticated(service.url, project.apiKey, wire.name)
    const writing: Promise<unknown>[] = []

    for (let n = 0; n < 40; n++) {
      socket.say({ type: 'subscribe', collection: 'posts' })
      await socket.ask({ type: 'ping' })
      writing.push(posts.create({ n }), posts.create({ n }))
    }
    await Promise.all(writing)

    // An answer to "auth", and for each "subscribe" and "ping" one.
    await socket.atLeast(1 + 40 * 2 + 80)
    await socket.ask({ type: 'ping' })
    const numbers = socket.heard.flatMap(({ seq }) => (typeof seq === 'number' ? seq : []))
    expect(numbers).toEqual([...new Set(numbers)].sort((one, other) => one - other))
    expect(numbers).toHaveLength(80)
  })

  test('contract 9.2 permissions are obeyed, and a stream ends when they are taken away', async () => {
    const { anAccount, collection, owner, project } = await aTown(wire, { selfRoles: ['insider'] })
    const secrets = await collection('secrets', { permissions: { read: ['insider'] } })
    const [insider, outsider] = [await anAccount({ roles: ['insider'] }), await anAccount()]
    const open = (token: string) => openAuthenticated(service.url, token, wire.name)
    const [inside, outside, key] = [await open(insider.token), await open(outsider.token), await open(project.apiKey)]
    const subscribe = { type: 'subscribe', collection: 'secrets' }

    expect(await inside.ask(subscribe)).toMatchObject({ type: 'subscribed' })
    expect(await outside.ask(subscribe)).toMatchObject({ code: 'FORBIDDEN', collection: 'secrets' })
    expect(await key.ask(subscribe)).toMatchObject({ code: 'UNAUTHORIZED', collection: 'secrets' })
    await secrets.create({ n: 1 })
    await inside.atLeast(3)
    expectStatus(200, await owner.patch('/collections/secrets', { permissions: { read: ['nobody'] } }))
    expect((await inside.atLeast(4))[3]).toMatchObject({ code: 'FORBIDDEN', collection: 'secrets' })
    await secrets.create({ n: 2 })
    await inside.ask({ type: 'ping' })
    expect(inside.heard).toHaveLength(5)
  })

  once('contract 6.5 a stream of a secret key and a user keeps the rights of both', async () => {
    const { anAccount, collection, project } = await aTown(wire)
    const secrets = await collection('secrets', { permissions: { read: ['insider'] } })
    const [ada, bob] = [await anAccount(), await anAccount()]
    const headers = { 'x-api-key': project.secretKey, authorization: `Bearer ${ada.token}` }
    const events = await openEvents(service.url, '/realtime/sse/secrets', headers)

    // All are checked again, in the order they came.
    const last = await openAuthenticated(service.url, bob.token, wire.name)
    expectStatus(200, await bob.api.post('/auth-collections/logout', {}))
    expect(await last.closed).toBe(1008)
    await secrets.create({ n: 1 })

    expect(JSON.stringify(await events.atLeast(1))).toContain('"n":1')
    expectStatus(200, await ada.api.post('/auth-collections/logout', {}))
    await events.closed
  })

  test('contract 9.2 a stream ends with the session of its token', async () => {
    const { anAccount, collection } = await aTown(wire)
    await collection('posts')
    const { token, api } = await anAccount()
    const socket = await openAuthenticated(service.url, token, wire.name)
    await socket.ask({ type: 'subscribe', collection: 'posts' })
    const events = await openEvents(service.url, '/realtime/sse/posts', { authorization: `Bearer ${token}` })

    expectStatus(200, await api.post('/auth-collections/logout', {}))

    expect(await socket.closed).toBe(1008)
    expect(socket.heard.at(-1)).toMatchObject({ type: 'error', code: 'UNAUTHORIZED' })
    await events.closed
  })
})
