/** Subscriptions while what their caller may read changes: other rights, or another login on the same socket. */
import { afterEach, expect, test } from 'vitest'
import { aTown } from '../../fixtures/accounts.js'
import { control } from '../../fixtures/control.js'
import { type Message, openAuthenticated, openEvents } from '../../fixtures/realtime/streams.js'
import { type Api, service } from '../../fixtures/service.js'
import { expectStatus, type Fields, inDialects, type Wire } from '../../fixtures/wires.js'

inDialects(
  'Subscriptions',
  (wire) => {
    const closing: (() => void)[] = []
    afterEach(() => {
      for (const close of closing.splice(0)) close()
    })

    test('to what "me" created follow who is signed in on the socket', async () => {
      const { ada, bob, open } = await aStreet(wire, { read: ['authenticated'], update: ['owner'] })
      const socket = await open(ada.token)
      await socket.ask({ type: 'subscribe', collection: 'posts', filters: { created_by: 'me' } })

      await create(ada.api, { n: 1 })
      await create(bob.api, { n: 2 })
      await create(ada.api, { n: 3 })
      await socket.atLeast(4)
      await socket.ask({ type: 'auth', token: bob.token })
      await create(ada.api, { n: 4 })
      await create(bob.api, { n: 5 })

      expect(told(await socket.atLeast(6))).toEqual([1, 3, 'authenticated', 5])
    })

    test('to what "me" created are the next user\'s where each reads their own alone, and end where nobody is signed in', async () => {
      const { ada, bob, project, owner, open } = await aStreet(wire, { read: ['owner'] })
      const socket = await open(ada.token)
      await socket.ask({ type: 'subscribe', collection: 'posts', filters: { created_by: 'me' }, live: true })

      await socket.ask({ type: 'auth', token: bob.token })
      await create(ada.api, { n: 1 })
      await create(bob.api, { n: 2 })
      expect(told(await socket.atLeast(5))).toEqual(['authenticated', 'RESYNC', 2])

      // Their own documents stay open to them.
      expectStatus(200, await owner.patch('/collections/posts', { permissions: { update: ['owner'] } }))
      await socket.ask({ type: 'auth', token: project.apiKey })
      expect(told(await socket.atLeast(7)).slice(3)).toEqual(['authenticated', 'UNAUTHORIZED'])
    })

    test('ask for a field "created_by" from when permissions no longer ask who created a document', async () => {
      const { ada, owner, open } = await aStreet(wire, { read: ['authenticated'], update: ['owner'] })
      const socket = await open(ada.token)
      await socket.ask({ type: 'subscribe', collection: 'posts', filters: { created_by: 'me' }, live: true })

      expectStatus(200, await owner.patch('/collections/posts', { permissions: { read: ['authenticated'] } }))
      await socket.atLeast(3)
      await create(ada.api, { n: 1 })
      await create(ada.api, { n: 2, created_by: 'me' })

      expect(told(await socket.atLeast(4))).toEqual(['RESYNC', 2])
    })

    test('that are live are told to read anew when a role opens or closes documents to their user', async () => {
      const { ada, bob, open, stream } = await aStreet(wire, { read: ['owner', 'editor'] })
      const [live, plain] = [await open(bob.token), await open(bob.token)]
      await live.ask({ type: 'subscribe', collection: 'posts', live: true })
      await plain.ask({ type: 'subscribe', collection: 'posts' })
      const events = await stream(bob.token, '?live=true')
      const all = [live, plain, events] as const

      await control.users.update({ user: bob.id, roles: ['editor'] })
      await Promise.all([live.atLeast(3), events.atLeast(1)])
      // One role more opens nothing more.
      await control.users.update({ user: bob.id, roles: ['editor', 'author'] })
      await create(ada.api, { n: 1 })
      await Promise.all([live.atLeast(4), plain.atLeast(3), events.atLeast(2)])
      await control.users.update({ user: bob.id, roles: [] })
      await Promise.all([live.atLeast(5), events.atLeast(3)])
      await create(ada.api, { n: 2 })
      await create(bob.api, { n: 3 })
      await Promise.all([live.atLeast(6), plain.atLeast(4), events.atLeast(4)])

      const viewed = ['RESYNC', 1, 'RESYNC', 3]
      expect(all.map(({ heard }) => told(heard))).toEqual([viewed, [1, 3], viewed])
    })

    test('that are live are told to read anew when permissions open or hide something else, and not for anything else', async () => {
      const { ada, owner, open, stream } = await aStreet(wire, { read: ['authenticated'] })
      const socket = await open(ada.token)
      await socket.ask({ type: 'subscribe', collection: 'posts', live: true })
      const events = await stream(ada.token, '?live=true')
      const change = async (body: Fields) => expectStatus(200, await owner.patch('/collections/posts', body))

      await change({ permissions: { read: ['authenticated'], hidden: { secret: ['editor'] } } })
      await Promise.all([socket.atLeast(3), events.atLeast(1)])
      await change({ schema: { n: { type: 'number' } } })
      await change({
        permissions: { read: ['authenticated'], hidden: { secret: ['author'] }, create: ['authenticated'] },
      })
      await create(ada.api, { n: 1, secret: 'x' })
      await Promise.all([socket.atLeast(4), events.atLeast(2)])
      await change({ permissions: { read: ['owner'] } })
      await Promise.all([socket.atLeast(5), events.atLeast(3)])

      for (const { heard } of [socket, events]) expect(told(heard)).toEqual(['RESYNC', 1, 'RESYNC'])
      const shown = [...socket.heard, ...events.heard].flatMap(({ document }) => (document ? [document] : []))
      expect(JSON.stringify(shown)).not.toContain('secret')
    })

    test('that are live are told to read anew after another login, unless both may read the same', async () => {
      const { ada, bob, open } = await aStreet(wire, { read: ['owner', 'editor'] })
      const socket = await open(ada.token)
      await socket.ask({ type: 'subscribe', collection: 'posts', live: true })

      await socket.ask({ type: 'auth', token: bob.token })
      await socket.atLeast(4)
      for (const { id } of [ada, bob]) await control.users.update({ user: id, roles: ['editor'] })
      await socket.atLeast(5)
      await socket.ask({ type: 'auth', token: ada.token })
      await create(bob.api, { n: 1 })

      expect(told(await socket.atLeast(7))).toEqual(['authenticated', 'RESYNC', 'RESYNC', 'authenticated', 1])
    })

    /** Users and a collection with these permissions. */
    async function aStreet(wire: Wire, permissions: Fields) {
      const town = await aTown(wire)
      await town.collection('posts', { permissions })
      const [ada, bob] = [await town.anAccount(), await town.anAccount()]
      return {
        ...{ ...town, ada, bob },
        async open(token: string) {
          const socket = await openAuthenticated(service.url, token, wire.name)
          closing.push(socket.close)
          return socket
        },
        async stream(token: string, query: string) {
          const headers = { authorization: `Bearer ${token}`, 'svc-dialect': wire.name }
          const events = await openEvents(service.url, `/realtime/sse/posts${query}`, headers)
          closing.push(events.close)
          return events
        },
      }
    }
  },
  ['a', 'b'],
)

async function create(api: Api, fields: Fields): Promise<void> {
  expectStatus(201, await api.post('/collections/posts', fields))
}

/** Behind the answers to the first messages: of events, the number in their document; of the rest, what it says. */
function told(messages: readonly Message[]): unknown[] {
  const first = messages.findIndex(({ type }) => type === 'subscribed')
  return messages.slice(first + 1).map((message) => {
    const data = message.document ?? message.data
    if (message.event === undefined) return message.code ?? message.type
    const { data: fields = data, n } = data as { data?: Fields; n?: unknown }
    return n ?? (fields as Fields).n
  })
}
