import { afterEach, expect, test } from 'vitest'
import { aTown } from '../../fixtures/accounts.js'
import { control } from '../../fixtures/control.js'
import { createWithFiles, filePage, sendForm } from '../../fixtures/files.js'
import { openAuthenticated, openEvents } from '../../fixtures/realtime/streams.js'
import { fileOf, textOf } from '../../fixtures/requests/form.js'
import { type Api, service } from '../../fixtures/service.js'
import { expectFailure, expectStatus, type Fields, inDialects, type Wire } from '../../fixtures/wires.js'

const own = { read: ['owner', 'editor'], update: ['owner'], delete: ['owner'] }

// Decision 71.
inDialects(
  'Owners of documents',
  (wire, { once }) => {
    const closing: (() => void)[] = []
    afterEach(() => {
      for (const close of closing.splice(0)) close()
    })

    once('who created a document by a token reads, changes and deletes it, and nobody else does', async () => {
      const { ada, bob, api, owner } = await aStreet(wire)
      const mine = await create(wire, ada.api, { title: 'Mine' })
      const path = `/collections/posts/${mine.id}`

      expectStatus(200, await ada.api.get(path))
      expectStatus(200, await ada.api.patch(path, { n: 1 }))
      expectStatus(200, await ada.api.put(path, { title: 'Put' }))
      expectStatus(200, await owner.get(path))
      for (const [method, body] of [['GET'], ['PATCH', {}], ['PUT', {}], ['DELETE']] as const) {
        expectFailure(await bob.api.send(method, path, {}, body), 404, 'NOT_FOUND')
        expectFailure(await bob.api.send(method, path, { 'if-match': '"99"' }, body), 404, 'NOT_FOUND')
        expectFailure(await api.send(method, path, {}, body), 401, 'UNAUTHORIZED')
      }
      const { etag } = (await ada.api.get(path)).headers
      expectFailure(await bob.api.get(path, { 'if-none-match': String(etag) }), 404, 'NOT_FOUND')
      expectStatus(200, await ada.api.delete(path))
    })

    test('a document that others may read is refused to their writes with 403', async () => {
      const { ada, bob } = await aStreet(wire, { update: ['owner'], delete: ['owner'] })
      const { id } = await create(wire, ada.api, {})

      expectStatus(200, await bob.api.get(`/collections/posts/${id}`))
      expectFailure(await bob.api.patch(`/collections/posts/${id}`, {}), 403, 'FORBIDDEN')
      expectFailure(await bob.api.delete(`/collections/posts/${id}`), 403, 'FORBIDDEN')
      expectFailure(await bob.api.patch(`/collections/posts/${id}`, {}, { 'if-match': '"9"' }), 403, 'FORBIDDEN')
    })

    once('lists, their totals, filters and counts know only what the user created', async () => {
      const { ada, bob, editor, owner } = await aStreet(wire)
      for (const n of [1, 2, 3]) await create(wire, ada.api, { n, word: 'hers' })
      await create(wire, bob.api, { n: 9 })
      await owner.post('/collections/posts', { n: 10 })
      const list = async (api: Api, query = '') => {
        const { rows, total } = wire.page(expectStatus(200, await api.get(`${wire.listPath('posts')}?${query}`)))
        return [rows.map(({ fields }) => fields.n), total]
      }

      expect(await list(ada.api)).toEqual([[3, 2, 1], 3])
      expect(await list(ada.api, 'orderBy=n&limit=2')).toEqual([[1, 2], 3])
      expect(await list(ada.api, 'limit=1&offset=1&count=false')).toEqual([[2], null])
      expect(await list(ada.api, 'n__gte=2&orderBy=n&order=desc')).toEqual([[3, 2], 2])
      expect(await list(bob.api, 'word=hers')).toEqual([[], 0])
      expect(await list(bob.api, '[or]word=hers&[or]n=9')).toEqual([[9], 1])
      expect(await list(editor.api)).toEqual([[10, 9, 3, 2, 1], 5])
      expect(await list(editor.api, 'created_by=me')).toEqual([[], 0])
      expect(await list(owner, `created_by=${ada.id}&n=2`)).toEqual([[2], 1])
      expect(await list(owner, 'created_by=nobody')).toEqual([[], 0])
      expect(await list(ada.api, 'created_by=me&n=2')).toEqual([[2], 1])
      expectFailure(await editor.api.get(`${wire.listPath('posts')}?created_by=${ada.id}`), 403, 'FORBIDDEN')
      expectFailure(await ada.api.get(`${wire.listPath('posts')}?created_by__ne=me`), 400, 'INVALID_FILTER')
      expectFailure(await ada.api.get(`${wire.listPath('posts')}?[or]created_by=me&[or]n=9`), 400, 'INVALID_FILTER')
      expectFailure(await owner.get(`${wire.listPath('posts')}?created_by=me`), 401, 'UNAUTHORIZED')
      const counted = wire.record(expectStatus(200, await ada.api.get('/api/collections/posts')))
      expect(counted).toMatchObject({ document_count: 3 })
    })

    test('where no permission names owner, created_by is a field of the data', async () => {
      const { ada, bob } = await aStreet(wire, {})
      await create(wire, ada.api, { created_by: 'me' })
      await create(wire, ada.api, { created_by: bob.id })

      const list = await bob.api.get(`${wire.listPath('posts')}?created_by=${bob.id}`)

      expect(wire.page(expectStatus(200, list)).rows.map(({ fields }) => fields)).toEqual([{ created_by: bob.id }])
    })

    test('a batch that touches what is not the own does nothing at all', async () => {
      const { ada, bob } = await aStreet(wire)
      const [hers, his] = [await create(wire, ada.api, { n: 1 }), await create(wire, bob.api, { n: 1 })]
      const batch = '/collections/posts/batch/documents'

      const updates = { [his.id]: { data: { n: 2 } }, [hers.id]: { data: { n: 2 } } }
      expectFailure(await bob.api.post(`${batch}/update`, { updates }), 404, 'NOT_FOUND')
      const deletes = { document_ids: [his.id, hers.id] }
      expectFailure(await bob.api.post(`${batch}/delete`, deletes), 404, 'NOT_FOUND')
      expect(wire.row(wire.record(await bob.api.get(`/collections/posts/${his.id}`))).fields).toEqual({ n: 1 })
      const made = wire.record(expectStatus(201, await bob.api.post(batch, { documents: [{}, {}] }))) as unknown[]
      const ids = made.map((one) => wire.row(one).id)
      expectStatus(200, await bob.api.post(`${batch}/delete`, { document_ids: [his.id, ...ids] }))
    })

    test('a linked record of somebody else stays an id, and no filter or order tells of it', async () => {
      const { ada, bob, owner, collection } = await aStreet(wire)
      const links = await collection('links')
      const { id } = await create(wire, ada.api, { title: 'secret' })
      await links.create({ post: id })
      const list = async (api: Api, query: string) =>
        wire.page(expectStatus(200, await api.get(`${wire.listPath('links')}?populate=post&${query}`)))

      expect((await list(bob.api, '')).rows[0]?.fields).toEqual({ post: id })
      expect((await list(ada.api, '')).rows[0]?.fields.post).toMatchObject({ id })
      for (const [api, total] of [
        [bob.api, 0],
        [ada.api, 1],
        [owner, 1],
      ] as const) {
        expect((await list(api, 'post.title=secret')).total).toBe(total)
      }
    })

    test('an idempotency key makes one document, which is the own', async () => {
      const { ada, bob } = await aStreet(wire)
      const once = { 'idempotency-key': 'k1' }

      const first = wire.row(wire.record(expectStatus(201, await ada.api.post('/collections/posts', {}, once))))
      const again = wire.row(wire.record(expectStatus(201, await ada.api.post('/collections/posts', {}, once))))
      const other = wire.row(wire.record(expectStatus(201, await bob.api.post('/collections/posts', {}, once))))

      expect([again.id, other.id === first.id]).toEqual([first.id, false])
      expectStatus(200, await ada.api.get(`/collections/posts/${first.id}`))
      expectFailure(await bob.api.get(`/collections/posts/${first.id}`), 404, 'NOT_FOUND')
    })

    test('files of documents are listed to who created these, and no other tells them from none', async () => {
      const { ada, bob, owner } = await aStreet(wire)
      const { id } = await createWithFiles(wire, ada.api, textOf('data', {}), fileOf('cover', 'x', 'hers.png'))
      await createWithFiles(wire, bob.api, textOf('data', {}), fileOf('cover', 'x', 'his.png'))
      await sendForm(bob.api, 'POST', '/storage/upload', [fileOf('file', 'x', 'open.png')])
      const files = async (api: Api, query = '') =>
        filePage(wire, expectStatus(200, await api.get(`/storage/list${query}`)))

      const [hers, his, all] = [await files(ada.api), await files(bob.api, '?limit=1&offset=1'), await files(owner)]

      expect([hers.files.map(({ name }) => name), hers.total]).toEqual([['open.png', 'hers.png'], 2])
      expect([his.files.map(({ name }) => name), his.total]).toEqual([['his.png'], 2])
      expect(all.total).toBe(3)
      const file = hers.files.find(({ name }) => name === 'hers.png')?.id
      expectFailure(await bob.api.delete(`/storage/file/${file}`), 404, 'NOT_FOUND')
      expectFailure(await ada.api.delete(`/storage/file/${file}`), 409, 'FILE_IN_USE')
      expectFailure(await sendForm(bob.api, 'PATCH', `/collections/posts/${id}`, [fileOf('cover')]), 404, 'NOT_FOUND')
    })

    test('subscribers receive changes of their own documents, live, over both transports and in a replay', async () => {
      const { ada, bob, project } = await aStreet(wire)
      const events = async (token: string, query = '') => {
        const stream = await openEvents(service.url, `/realtime/sse/posts${query}`, {
          authorization: `Bearer ${token}`,
          'svc-dialect': 'a',
        })
        closing.push(stream.close)
        return stream
      }
      const socket = await openAuthenticated(service.url, bob.token, 'a')
      closing.push(socket.close)
      await socket.ask({ type: 'subscribe', collection: 'posts', live: true })
      const [hers, live] = [await events(ada.token), await events(bob.token, '?live=true&filters={"created_by":"me"}')]

      const { id } = await create(wire, ada.api, { n: 1 })
      await ada.api.patch(`/collections/posts/${id}`, { n: 2 })
      await create(wire, bob.api, { n: 7 })
      await control.creators.set({ project: project.id, collection: 'posts', document: id, createdBy: bob.id })
      await ada.api.patch(`/collections/posts/${id}`, { n: 3 })
      await bob.api.patch(`/collections/posts/${id}`, { n: 4 })
      await control.creators.set({ project: project.id, collection: 'posts', document: id, createdBy: null })
      await create(wire, bob.api, { n: 8 })

      const his = [
        ['created', 7],
        ['created', 2],
        ['updated', 4],
        ['deleted', 4],
        ['created', 8],
      ]
      expect(seen(await live.atLeast(5))).toEqual(his)
      expect(seen((await socket.atLeast(7)).filter(({ type }) => type === 'event'))).toEqual(his)
      await create(wire, ada.api, { n: 5 })
      expect(seen(await hers.atLeast(3))).toEqual([
        ['created', 1],
        ['updated', 2],
        ['created', 5],
      ])
      const replay = await events(bob.token, '?since=0&live=true')
      expect(seen(await replay.atLeast(5))).toEqual(his)
      const hersAgain = await events(ada.token, '?since=0&live=true')
      expect(seen(await hersAgain.atLeast(4))).toEqual([
        ['created', 1],
        ['updated', 2],
        ['deleted', 2],
        ['created', 5],
      ])
    })

    test('the owner gives a document to another user, or to nobody', async () => {
      const { ada, bob, project } = await aStreet(wire)
      const { id } = await create(wire, ada.api, {})
      const place = { project: project.id, collection: 'posts', document: id }

      expect(await control.creators.get(place)).toEqual({ collection: 'posts', id, createdBy: ada.id })
      await control.creators.set({ ...place, createdBy: bob.id })

      expectFailure(await ada.api.get(`/collections/posts/${id}`), 404, 'NOT_FOUND')
      expectStatus(200, await bob.api.patch(`/collections/posts/${id}`, {}))
      await expect(control.creators.set({ ...place, createdBy: project.id })).rejects.toMatchObject({
        code: 'USER_NOT_FOUND',
      })
    })

    test('a user whose role is called owner is none', async () => {
      const { ada, anAccount } = await aStreet(wire)
      const { id } = await create(wire, ada.api, {})
      const eve = await anAccount()
      await control.users.update({ user: eve.id, roles: ['owner'] })

      expectFailure(await eve.api.get(`/collections/posts/${id}`), 404, 'NOT_FOUND')
    })

    test('permissions to create take no owner', async () => {
      const { owner } = await aStreet(wire)
      const permissions = { create: ['editor', 'owner'] }

      expectFailure(await owner.post('/collections', { name: 'others', permissions }), 422, 'VALIDATION_ERROR')
      expectFailure(await owner.patch('/collections/posts', { permissions }), 422, 'VALIDATION_ERROR')
    })
  },
  ['a', 'b'],
)

// Contract 5.3: a write answers the data of a document to whoever may read it, and no data to anybody else.
inDialects('Writes of documents that only their creators read', (wire, { once }) => {
  const path = '/collections/posts'
  const permissions = { ...own, update: ['authenticated'] }
  const records = { 'svc-dialect': `${wire.name}, acks=record` }
  /** The data that each way to change a document returns. */
  async function answers(api: Api, id: string): Promise<Fields[]> {
    const changed = [
      await api.patch(`${path}/${id}`, { n: 1 }),
      await api.patch(`${path}/${id}`, { $append: { tags: ['x'] } }),
      await sendForm(api, 'PATCH', `${path}/${id}`, [textOf('data', { n: 2 }), fileOf('cover')]),
      await api.patch(`${path}/${id}`, { n: 3 }),
      await api.post(`${path}/batch/documents/update`, { updates: { [id]: { data: { n: 4 } } } }, records),
      await api.put(`${path}/${id}`, { n: 5 }),
    ]
    return changed.flatMap((one) => wire.record(expectStatus(200, one))).map((one) => wire.row(one).fields)
  }

  test('answer the data to who created the document', async () => {
    const { ada } = await aStreet(wire, permissions)
    const { id, fields } = await create(wire, ada.api, { title: 'Mine' })
    expect(fields).toEqual({ title: 'Mine' })

    const seen = await answers(ada.api, id)

    expect(seen.map(({ n, title }) => [n, title])).toEqual([
      ...[1, 1, 2, 3, 4].map((n) => [n, 'Mine']),
      // Contract 1: where PUT merges, it keeps the title.
      [5, wire.like === 'b' ? 'Mine' : undefined],
    ])
    expect(seen[1]).toMatchObject({ tags: ['x'] })
    expect(seen[2]?.cover).toBeTypeOf('string')
    expect(wire.row(wire.record(await ada.api.get(`${path}/${id}`))).fields).toEqual(seen.at(-1))
  })

  once('answer no data to others, nor to the creator once the document is another user’s', async () => {
    const { ada, bob, project } = await aStreet(wire, permissions)
    const { id } = await create(wire, ada.api, { title: 'Mine' })

    expect(await answers(bob.api, id)).toEqual(Array(6).fill({}))
    await control.creators.set({ project: project.id, collection: 'posts', document: id, createdBy: bob.id })
    expect(await answers(ada.api, id)).toEqual(Array(6).fill({}))
    expect((await answers(bob.api, id)).map(({ n }) => n)).toEqual([1, 1, 2, 3, 4, 5])
  })
})

async function aStreet(wire: Wire, permissions: Fields = own) {
  const town = await aTown(wire)
  const posts = await town.collection('posts', { permissions })
  const [ada, bob, editor] = [await town.anAccount(), await town.anAccount(), await town.anAccount()]
  await control.users.update({ user: editor.id, roles: ['editor'] })
  return { ...town, posts, ada, bob, editor }
}

async function create(wire: Wire, api: Api, fields: Fields) {
  return wire.row(wire.record(expectStatus(201, await api.post('/collections/posts', fields))))
}

function seen(messages: readonly Fields[]): unknown[] {
  return messages.map(({ event, document }) => [event, (document as { data: Fields }).data.n])
}
