import { expect, test } from 'vitest'
import { routes } from '../../../emulator/http/routes/index.js'
import { aTown } from '../../fixtures/accounts.js'
import { control } from '../../fixtures/control.js'
import { openEvents } from '../../fixtures/realtime/streams.js'
import { apiOf, service } from '../../fixtures/service.js'
import { expectFailure, expectStatus, type Fields, inDialects, type Row } from '../../fixtures/wires.js'

/** Actions of a token on its own session, whatever key is sent with it. */
const ofSession = ['accounts.me', 'accounts.user', 'accounts.logOut', 'accounts.refresh']

// Decision 71.
inDialects(
  'Key scopes',
  (wire) => {
    test('a key does what its scopes name, in the collections that they name, and nothing else', async () => {
      const { project, notes, posts, keyWith } = await twoCollections()
      const reader = await keyWith(['read:posts'])
      const writer = await keyWith(['write:posts'])
      const whole = await keyWith(['read'])
      const { id } = await posts.create({ title: 'Hello', note: (await notes.create({ a: 1 })).id })

      expectStatus(200, await reader.get(wire.listPath('posts')))
      expectStatus(200, await reader.get(`/collections/${posts.id}/documents/${id}`))
      expectStatus(200, await whole.get(wire.listPath('notes')))
      expectStatus(200, await whole.get('/auth-collections/users'))
      expectStatus(200, await whole.get('/storage/list'))
      expect(namesIn(expectStatus(200, await reader.get('/collections')))).toEqual(['posts'])
      for (const [api, method, path, body] of [
        [reader, 'POST', '/collections/posts', {}],
        [reader, 'PATCH', `/collections/posts/${id}`, {}],
        [reader, 'DELETE', `/collections/posts/${id}`],
        [reader, 'GET', wire.listPath('notes')],
        [reader, 'GET', wire.listPath('missing')],
        [reader, 'GET', `/api/collections/${notes.id}`],
        [reader, 'PATCH', '/collections/posts', { name: 'notes2' }],
        [reader, 'POST', '/collections', { name: 'others' }],
        [reader, 'GET', '/realtime/sse/notes'],
        [reader, 'GET', '/auth-collections/users'],
        [reader, 'GET', '/storage/list'],
        [reader, 'GET', '/storage/info'],
        [reader, 'DELETE', `/storage/file/${id}`],
        [whole, 'POST', '/auth-collections/signup', { email: 'eve@example.com', password: 'Correct4Horse' }],
        [whole, 'DELETE', `/storage/file/${id}`],
        [writer, 'GET', wire.listPath('posts')],
        [writer, 'DELETE', '/collections/posts'],
      ] as const) {
        expectFailure(await api.send(method, path, {}, body), 403, 'FORBIDDEN')
      }
      // A key that may not read learns no stored fields.
      const written = expectStatus(200, await writer.patch(`/collections/posts/${id}`, { title: 'Changed' }))
      expect(wire.row(wire.record(written)).fields).toEqual({})
      const { requests } = await control.requests.list({ project: project.id, status: '403', limit: 1 })
      const { reason } = await control.requests.get({ id: requests[0]?.id ?? '' })
      expect(reason).toMatchObject({ kind: 'scope', action: 'admin', collection: 'posts', scopes: ['write:posts'] })
    })

    test('a collection that has left the scopes of a key is as unknown to it as any id, whatever it is called', async () => {
      const { keyWith, posts, owner } = await twoCollections()
      const api = await keyWith(['admin:posts'])
      const none = '01900000-0000-7000-8000-000000000001'
      expectStatus(200, await api.get(`/api/collections/${posts.id}`))
      expectStatus(200, await owner.patch('/collections/posts', { name: 'layoffs-2027' }))
      const answers = (id: string) =>
        Promise.all(
          (
            [
              ['GET', `/api/collections/${id}`],
              ['PATCH', `/api/collections/${id}`, {}],
              ['DELETE', `/api/collections/${id}`],
              ['GET', `/collections/${id}/documents/${none}`],
              ['POST', `/collections/${id}`, {}],
              ['GET', `/realtime/sse/${id}`],
            ] as const
          ).map(async ([method, path, body]) => {
            const answer = await api.send(method, path, {}, body)
            expectFailure(answer, 403, 'FORBIDDEN')
            expect(answer.text).toContain(id)
            return answer.text.replaceAll(id, 'ID')
          }),
        )

      expect(await answers(posts.id)).toEqual(await answers(none))
    })

    test('admin manages a collection and its documents, with permissions too if the key is secret', async () => {
      const { keyWith, posts } = await twoCollections()
      const admin = await keyWith(['admin:posts'], true)
      const open = await keyWith(['admin:posts'])

      expectStatus(200, await admin.patch('/collections/posts', { permissions: { read: ['editor'] } }))
      expectStatus(201, await admin.post('/collections/posts', {}))
      expect((await posts.list()).total).toBe(1)
      expectStatus(200, await admin.get(wire.listPath('posts')))
      expectFailure(await open.get(wire.listPath('posts')), 401, 'UNAUTHORIZED')
      expectFailure(await open.patch('/collections/posts', { name: 'others' }), 403, 'FORBIDDEN')
      expectFailure(await admin.patch('/collections/notes', { permissions: {} }), 403, 'FORBIDDEN')
      expectFailure(await admin.post('/collections', { name: 'others' }), 403, 'FORBIDDEN')
      // Renamed, it would be out of the key's scopes.
      expectFailure(await admin.patch('/collections/posts', { name: 'others' }), 403, 'FORBIDDEN')
    })

    test('what is out of scope is neither populated nor found through a filter', async () => {
      const { keyWith, notes, posts, anAccount } = await twoCollections()
      const author = await anAccount()
      const note = await notes.create({ text: 'secret' })
      await posts.create({ note: note.id, author: author.id })
      const api = await keyWith(['read:posts'], true)
      const list = async (query: string) =>
        wire.page(expectStatus(200, await api.get(`${wire.listPath('posts')}?${query}`)))

      const { rows } = await list('populate=note&populate=author')

      expect(rows[0]?.fields).toEqual({ note: note.id, author: author.id })
      expect((await list('populate=note&note.text=secret')).total).toBe(0)
      expect((await list(`populate=author&author.email=${author.email}`)).total).toBe(0)
    })

    test('a token beside the key does not widen its scopes, and the token alone has none', async () => {
      const { anAccount, keyWith, keyText } = await twoCollections()
      const ada = await anAccount()
      const key = await keyText(['read:posts'])
      const both = apiOf({ 'x-api-key': key, authorization: `Bearer ${ada.token}` }, wire.name)

      expectFailure(await both.post('/collections/posts', {}), 403, 'FORBIDDEN')
      expectStatus(200, await both.get('/auth-collections/me'))
      expectFailure(await both.patch('/auth-collections/user', { data: { bio: 'Hi' } }), 403, 'FORBIDDEN')
      const form = '--x\r\ncontent-disposition: form-data; name="avatar"; filename="a.txt"\r\n\r\nHello\r\n--x--\r\n'
      const multipart = { 'content-type': 'multipart/form-data; boundary=x' }
      expectFailure(await both.patch('/auth-collections/user', form, multipart), 403, 'FORBIDDEN')
      expectStatus(200, await ada.api.patch('/auth-collections/user', form, multipart))
      expectStatus(201, await ada.api.post('/collections/posts', {}))
      const reader = await keyWith(['read:posts'])
      expectStatus(200, await reader.post('/auth-collections/login', { email: ada.email, password: ada.password }))
    })

    test.each(routes.filter(({ needs }) => needs === 'user'))(
      'a key of "read" beside a token changes nothing of its user ($id)',
      async ({ id, method, paths: { any = [] } }) => {
        const { anAccount, keyText } = await twoCollections()
        const { token } = await anAccount()
        const both = apiOf({ 'x-api-key': await keyText(['read']), authorization: `Bearer ${token}` }, wire.name)

        for (const path of any) {
          const answer = await both.send(method.toUpperCase(), path, {}, method === 'get' ? undefined : {})
          if (ofSession.includes(id)) expectStatus(200, answer)
          else expectFailure(answer, 403, 'FORBIDDEN')
        }
      },
    )

    test('a ticket that a key and a token ask for stays within the scopes, and its stream ends with either', async () => {
      const { anAccount, project, owner, collection, posts } = await twoCollections()
      await collection('guarded', { permissions: { read: ['editor'] } })
      const ada = await anAccount()
      const aKey = (scopes: string[] | undefined, secret = false) =>
        control.keys.create({ project: project.id, secret, ...(scopes && { scopes }) })
      async function listen({ key }: { key: string }, { token }: { token: string }, name = 'posts') {
        const both = apiOf({ 'x-api-key': key, authorization: `Bearer ${token}` }, wire.name)
        const asked = wire.record(expectStatus(201, await both.post('/realtime/tickets', {})))
        return openEvents(service.url, `/realtime/sse/${name}?ticket=${(asked as { ticket: string }).ticket}`)
      }

      expect((await listen(await aKey(['write:notes']), ada)).status).toBe(403)
      expect((await listen(await aKey(['read:notes'], true), ada)).status).toBe(403)
      // The user's rights are not those of a secret key.
      expect((await listen(await aKey(undefined, true), ada, 'guarded')).status).toBe(403)

      const [revoked, kept] = [await aKey(['read:posts']), await aKey(undefined)]
      const [byRevoked, byKept] = [await listen(revoked, ada), await listen(kept, ada)]
      await posts.create({ n: 1 })
      await Promise.all([byRevoked.atLeast(1), byKept.atLeast(1)])
      await control.keys.revoke({ project: project.id, key: revoked.id })
      await byRevoked.closed
      await posts.create({ n: 2 })
      await byKept.atLeast(2)
      expectStatus(200, await ada.api.post('/auth-collections/logout', {}))
      await byKept.closed
      expectStatus(200, await owner.get(wire.listPath('posts')))
    })

    test('a ticket is refused once the key that asked for it has gone or expired', async () => {
      const { anAccount, project } = await twoCollections()
      const ada = await anAccount()
      const { key, id } = await control.keys.create({ project: project.id })
      const day = await control.keys.create({ project: project.id, expiresInSeconds: 86_400 })
      const ticketOf = async (key: string) => {
        const both = apiOf({ 'x-api-key': key, authorization: `Bearer ${ada.token}` }, wire.name)
        return wire.record(expectStatus(201, await both.post('/realtime/tickets', {}))) as { ticket: string }
      }
      const open = async ({ ticket }: { ticket: string }) =>
        (await openEvents(service.url, `/realtime/sse/posts?ticket=${ticket}`)).status

      const gone = await ticketOf(key)
      await control.keys.revoke({ project: project.id, key: id })
      expect(await open(gone)).toBe(401)
      const advance = (seconds: number) =>
        control.clock.ofProject.change({ project: project.id, advance: seconds * 1_000 })
      await advance(86_400 - 30)
      const expired = await ticketOf(day.key)
      await advance(40)
      expect(await open(expired)).toBe(401)
    })

    test('a key is refused once it has expired, and says when it was used last', async () => {
      const { project, notes } = await twoCollections()
      const { key, id } = await control.keys.create({ project: project.id, name: 'week', expiresInSeconds: 7 * 86_400 })
      const api = apiOf({ 'x-api-key': key }, wire.name)
      const listed = async () => (await control.keys.list({ project: project.id })).keys.find((one) => one.id === id)
      expect(await listed()).toMatchObject({ name: 'week', scopes: null, lastUsedAt: null, key })
      expectStatus(200, await api.get(wire.listPath(notes.name)))
      expect(await listed()).toMatchObject({ lastUsedAt: expect.any(String) })

      await control.clock.ofProject.change({ project: project.id, advance: 8 * 86_400 * 1_000 })

      expectFailure(await api.get(wire.listPath(notes.name)), 401, 'UNAUTHORIZED')
      expectFailure(await api.post('/realtime/tickets', {}), 401, 'UNAUTHORIZED')
    })

    test.each([['execute'], ['read:'], ['read:1'], ['read:a b'], ['READ'], ['read:posts:x']])(
      'a scope "%s" is refused',
      async (scope) => {
        const { id: project } = (await aTown(wire)).project

        await expect(control.keys.create({ project, scopes: [scope] })).rejects.toMatchObject({
          code: 'VALIDATION_ERROR',
        })
      },
    )

    async function twoCollections() {
      const town = await aTown(wire)
      const [posts, notes] = [await town.collection('posts'), await town.collection('notes')]
      const keyText = async (scopes: string[], secret = false) =>
        (await control.keys.create({ project: town.project.id, scopes, secret })).key
      const keyWith = async (scopes: string[], secret = false) =>
        apiOf({ 'x-api-key': await keyText(scopes, secret) }, wire.name)
      return { ...town, posts, notes, keyText, keyWith }
    }

    function namesIn(answer: Parameters<typeof wire.record>[0]): unknown[] {
      return (wire.record(answer) as (Row & Fields)[]).map(({ name }) => name)
    }
  },
  ['a', 'c'],
)
