import { expect, test } from 'vitest'
import { expectFailure, expectStatus, inDialects, someDocuments } from '../../fixtures/wires.js'

const isoTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/
const unknownId = '01900000-0000-7000-8000-000000000000'

inDialects('Documents', (wire, { once }) => {
  once('DOC-08 times are the service’s: set on create, moved on by an update, never by a client', async () => {
    const { api, posts } = await someDocuments(wire)
    const then = '2001-01-01T00:00:00.000Z'

    const before = await posts.create({ created_at: then, updated_at: then, title: 'Tea' })
    await new Promise((resolve) => setTimeout(resolve, 5))
    await api.patch(`/collections/posts/${before.id}`, { created_at: then, createdAt: then, updatedAt: then })
    const after = await posts.get(before.id)

    expect(before.createdAt).toMatch(isoTime)
    expect(before.updatedAt).toBe(before.createdAt)
    expect(Math.abs(Date.parse(before.createdAt) - Date.now())).toBeLessThan(60_000)
    expect(after.createdAt).toBe(before.createdAt)
    expect(after.updatedAt > before.updatedAt).toBe(true)
  })

  once('DOC-09 deleted and deletedAt are fields like any other', async () => {
    const { posts } = await someDocuments(wire, [
      { name: 'here', deleted: false },
      { name: 'gone', deleted: true, deletedAt: '2026-01-01T00:00:00Z' },
      { name: 'neither' },
    ])

    expect(await posts.names('deleted=false')).toEqual(['here'])
    expect(await posts.names('deleted=true')).toEqual(['gone'])
    expect((await posts.list()).rows).toHaveLength(3)
  })

  test.each(['/collections/posts', '/collections/posts/documents', '/api/collections/posts/documents'])(
    'DOC-10 POST %s creates a document',
    async (path) => {
      const { api, posts } = await someDocuments(wire)

      const row = wire.row(wire.record(expectStatus(201, await api.post(path, { title: 'Tea' }))))

      expect(row.fields).toEqual({ title: 'Tea' })
      expect(await posts.get(row.id)).toEqual(row)
    },
  )

  once('contract 3.1 an empty object is a document', async () => {
    const { posts } = await someDocuments(wire)

    const { id } = await posts.create({})

    expect((await posts.get(id)).fields).toEqual({})
  })

  test.each(['/collections/posts/', '/collections/posts/documents/', '/api/collections/posts/documents/'])(
    'DOC-12 GET %s<id> is the document, by the collection’s name or its id, with or without a slash',
    async (path) => {
      const { api, posts } = await someDocuments(wire)
      const row = await posts.create({ title: 'Tea' })

      const paths = [`${path}${row.id}`, `${path.replace('posts', posts.id)}${row.id}`, `${path}${row.id}/`]
      const answers = await Promise.all(paths.map((path) => api.get(path)))

      for (const answer of answers) expect(wire.row(wire.record(expectStatus(200, answer)))).toEqual(row)
    },
  )

  test('DOC-13 a list is at its paths, by name or id, with or without a slash', async () => {
    const { api, posts } = await someDocuments(wire, [{ name: 'one' }, { name: 'two' }])
    const short = wire.like === 'b' ? [] : ['/collections/posts', `/collections/${posts.id}`, '/collections/posts/']
    const long = ['/collections/posts/documents', `/collections/${posts.id}/documents`]

    for (const path of [...short, ...long, '/api/collections/posts/documents', '/collections/posts/documents/']) {
      const { rows } = wire.page(expectStatus(200, await api.get(path)))
      expect(rows.map(({ fields }) => fields.name)).toEqual(['two', 'one'])
    }
  })

  test.each(['/collections/posts/', '/collections/posts/documents/', '/api/collections/posts/documents/'])(
    'DOC-14 PATCH %s<id> changes what is sent and keeps the rest',
    async (path) => {
      const { api, posts } = await someDocuments(wire)
      const before = await posts.create({ title: 'Tea', views: 1, nested: { a: 1, b: 2 } })

      const answer = await api.patch(`${path}${before.id}`, { views: 2, nested: { a: 3 }, title: null })
      const after = wire.row(wire.record(expectStatus(200, answer)))

      // Contract 3.2: nested objects are replaced, null is a value.
      expect(after.fields).toEqual({ title: null, views: 2, nested: { a: 3 } })
      expect(await posts.get(before.id)).toEqual(after)
    },
  )

  once('contract 3.2 an update with nothing in it is an update', async () => {
    const { api, posts } = await someDocuments(wire)
    const { id, fields } = await posts.create({ title: 'Tea' })

    const row = wire.row(wire.record(expectStatus(200, await api.patch(`/collections/posts/${id}`, {}))))

    expect(row.fields).toEqual(fields)
  })

  test.each(['/collections/posts/', '/collections/posts/documents/', '/api/collections/posts/documents/'])(
    'DOC-15 PUT %s<id> replaces the document, and merges in dialect b',
    async (path) => {
      const { api, posts } = await someDocuments(wire)
      const before = await posts.create({ title: 'Tea', views: 1 })

      const after = wire.row(wire.record(expectStatus(200, await api.put(`${path}${before.id}`, { views: 2 }))))

      expect(after.fields).toEqual(wire.like === 'b' ? { title: 'Tea', views: 2 } : { views: 2 })
      expect(after.createdAt).toBe(before.createdAt)
      expect(await posts.get(before.id)).toEqual(after)
    },
  )

  test.each(['/collections/posts/', '/collections/posts/documents/', '/api/collections/posts/documents/'])(
    'DOC-16 DELETE %s<id> answers message and id, and the document is gone',
    async (path) => {
      const { api, posts } = await someDocuments(wire)
      const { id } = await posts.create({ title: 'Tea' })

      const answer = expectStatus(200, await api.delete(`${path}${id}`))

      expect(wire.record(answer)).toEqual({ message: expect.stringMatching(/./), ...wire.removed({ id }) })
      expectFailure(await api.get(`/collections/posts/${id}`), 404, 'NOT_FOUND')
      expectFailure(await api.delete(`${path}${id}`), 404, 'NOT_FOUND')
    },
  )

  once('DOC-24 a document or collection that does not exist is 404, whatever is asked of it', async () => {
    const { api } = await someDocuments(wire, [{ name: 'one' }])
    const collections = ['nowhere', unknownId, 'not%20a%20name', '%F0%9F%8D%B5', '__proto__', '.', '5', 'x'.repeat(300)]
    const ids = [unknownId, 'nothing', '5', '%F0%9F%8D%B5', 'a%00b', '%22', `${unknownId}x`, 'constructor', '-1']

    for (const id of ids) {
      for (const path of [`/collections/posts/${id}`, `/collections/posts/documents/${id}`]) {
        expectFailure(await api.get(path), 404, 'NOT_FOUND')
        expectFailure(await api.patch(path, { a: 1 }), 404, 'NOT_FOUND')
        expectFailure(await api.put(path, { a: 1 }), 404, 'NOT_FOUND')
        expectFailure(await api.delete(path), 404, 'NOT_FOUND')
      }
    }
    for (const collection of collections) {
      expectFailure(await api.get(wire.listPath(collection)), 404, 'NOT_FOUND')
      expectFailure(await api.get(`/collections/${collection}/documents/${unknownId}`), 404, 'NOT_FOUND')
      expectFailure(await api.patch(`/collections/${collection}/documents/${unknownId}`, {}), 404, 'NOT_FOUND')
      expectFailure(await api.delete(`/collections/${collection}/documents/${unknownId}`), 404, 'NOT_FOUND')
    }
  })

  once('DOC-24 a document of another collection, or another project, is not there', async () => {
    const { api, posts, collection } = await someDocuments(wire)
    const other = await collection('others')
    const stranger = await someDocuments(wire)
    const { id } = await posts.create({ a: 1 })

    expectFailure(await api.get(`/collections/${other.name}/${id}`), 404, 'NOT_FOUND')
    expectFailure(await api.delete(`/collections/${other.name}/${id}`), 404, 'NOT_FOUND')
    expectFailure(await stranger.api.get(`/collections/posts/${id}`), 404, 'NOT_FOUND')
    expectFailure(await stranger.api.patch(`/collections/posts/${id}`, { a: 2 }), 404, 'NOT_FOUND')
    expectFailure(await stranger.api.get(`/collections/${posts.id}/documents`), 404, 'NOT_FOUND')
    expect((await posts.get(id)).fields).toEqual({ a: 1 })
  })

  test('contract 10.9 HEAD is served wherever GET is', async () => {
    const { api, posts } = await someDocuments(wire)
    const { id } = await posts.create({ a: 1 })
    const paths = [`/collections/posts/${id}`, wire.listPath('posts'), '/collections', '/openapi.json']

    for (const path of paths) {
      const [head, get] = [await api.send('HEAD', path), await api.get(path)]
      expect({ status: head.status, etag: head.headers.etag }).toEqual({ status: 200, etag: get.headers.etag })
    }
    expect((await api.send('HEAD', '/collections/posts/nothing')).status).toBe(404)
  })
})
