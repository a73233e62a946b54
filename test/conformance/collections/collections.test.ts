import { expect, test } from 'vitest'
import { aWorld, expectFailure, expectStatus, inDialects, keysOf, someDocuments } from '../../fixtures/wires.js'

const isoTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/
const unknownId = '01900000-0000-7000-8000-000000000000'

inDialects('Collections', (wire, { once, inTurn }) => {
  const times = wire.like === 'b' ? ['created_at', 'updated_at'] : ['createdAt', 'created_at', 'updatedAt']

  test.each(['/collections', '/api/collections'])('COL-01 POST %s creates a collection', async (path) => {
    const { api } = await aWorld(wire)

    const record = wire.record(expectStatus(201, await api.post(path, { name: 'posts' })))

    expect(record).toMatchObject({
      id: expect.any(String),
      name: 'posts',
      created_at: expect.stringMatching(isoTime),
    })
    expect(keysOf(record)).toEqual(expect.arrayContaining(times))
    if (wire.like === 'b') expect(keysOf(record)).not.toContain('createdAt')
    expectStatus(201, await api.post('/collections/posts', {}))
  })

  once('COL-01 the fields of a schema stay in the order in which they were given', async () => {
    const { api } = await aWorld(wire)
    const names = ['title', 'done', 'b', 'description', 'a']
    const schema = Object.fromEntries(names.map((name) => [name, { type: 'string' }]))
    const fieldsOf = (record: unknown) => Object.keys((record as { schema: object }).schema)

    const created = wire.record(expectStatus(201, await api.post('/collections', { name: 'posts', schema })))
    const read = wire.record(expectStatus(200, await api.get('/api/collections/posts')))
    const reversed = Object.fromEntries(Object.entries(schema).reverse())
    const changed = wire.record(expectStatus(200, await api.patch('/collections/posts', { schema: reversed })))

    expect([fieldsOf(created), fieldsOf(read), fieldsOf(changed)]).toEqual([names, names, names.toReversed()])
  })

  once('COL-01 a collection takes a schema', async () => {
    const { api } = await aWorld(wire)
    const schema = { title: { type: 'string', required: true }, views: { type: 'integer', default: 0 } }

    const record = wire.record(expectStatus(201, await api.post('/collections', { name: 'posts', schema })))

    expect(record).toMatchObject({ schema })
  })

  test.each(['/collections', '/api/collections'])('COL-02 GET %s is the whole array', async (path) => {
    const { api, collection } = await aWorld(wire)
    for (const name of ['one', 'two', 'three']) await collection(name)

    const list = wire.record(expectStatus(200, await api.get(path))) as { name: string }[]

    expect(list.map(({ name }) => name)).toEqual(['one', 'two', 'three'])
    for (const record of list) {
      expect(record).toMatchObject({ id: expect.any(String), created_at: expect.stringMatching(isoTime) })
    }
  })

  test('contract 1 GET /collections is the whole array, however many there are', async () => {
    const { api } = await aWorld(wire)
    const names = Array.from({ length: 120 }, (_, number) => `c${number}`)
    await Promise.all(names.map((name) => api.post('/collections', { name })))

    const list = wire.record(expectStatus(200, await api.get('/collections?limit=5'))) as unknown[]

    expect(list).toHaveLength(120)
  })

  test('COL-03 a collection’s record has its exact document_count', async () => {
    const { api, posts, rows } = await someDocuments(wire, [{ a: 1 }, { a: 2 }, { a: 3 }])
    const paths = ['/api/collections/posts', `/api/collections/${posts.id}`]
    if (wire.like === 'b') paths.push('/collections/posts', `/collections/${posts.id}`)

    await api.delete(`/collections/posts/${rows[0]?.id}`)

    for (const path of paths) {
      const record = wire.record(expectStatus(200, await api.get(path)))
      expect(record).toMatchObject({ id: posts.id, name: 'posts', document_count: 2 })
    }
  })

  test('COL-03 the short path is the record in dialect b and the documents elsewhere', async () => {
    const { api, posts } = await someDocuments(wire, [{ a: 1 }])

    const answer = await api.get('/collections/posts')

    if (wire.like === 'b') expect(answer.body).toMatchObject({ id: posts.id, document_count: 1 })
    else expect(wire.page(answer).rows).toHaveLength(1)
  })

  once('contract 5.4 document_count is exact under concurrent writes of every kind', async () => {
    const { api, rows } = await someDocuments(
      wire,
      Array.from({ length: 20 }, (_, number) => ({ number })),
    )
    const ids = rows.map(({ id }) => id)

    await Promise.all([
      ...Array.from({ length: 15 }, () => api.post('/collections/posts', {})),
      ...ids.slice(0, 5).map((id) => api.delete(`/collections/posts/${id}`)),
      ...ids.slice(0, 5).map((id) => api.delete(`/collections/posts/${id}`)),
      api.post('/collections/posts/batch', { documents: [{}, {}, {}] }),
      api.post('/collections/posts/batch', { documents: [{}, 'bad'] }),
      api.post('/collections/posts/batch-delete', { document_ids: ids.slice(5, 10) }),
      api.post('/collections/posts/batch-delete', { document_ids: [...ids.slice(10, 12), unknownId] }),
    ])

    const record = wire.record(await api.get('/api/collections/posts'))
    expect(record).toMatchObject({ document_count: 20 + 15 - 5 + 3 - 5 })
  })

  test.each(['/collections', '/api/collections'])('COL-04 PATCH %s/<c> renames', async (path) => {
    const { api, posts, rows } = await someDocuments(wire, [{ name: 'one' }])

    const answer = await api.patch(`${path}/posts`, { name: 'articles' })

    expect(wire.record(expectStatus(200, answer))).toMatchObject({ id: posts.id, name: 'articles' })
    // Contract 5.1: nothing else changes.
    const { body } = expectStatus(200, await api.get(`/collections/articles/documents/${rows[0]?.id}`))
    expect(JSON.stringify(body)).toContain('one')
    expectFailure(await api.get('/collections/posts/documents'), 404, 'NOT_FOUND')
    expectFailure(await api.get('/api/collections/posts'), 404, 'NOT_FOUND')
    expectStatus(201, await api.post('/collections', { name: 'posts' }))
  })

  once('contract 5.1 PATCH takes any subset, and what is left out stays', async () => {
    const { owner } = await someDocuments(wire)
    const schema = { title: { type: 'string' } }
    const permissions = { read: ['admin'] }
    const patch = async (body: unknown) =>
      wire.record(expectStatus(200, await owner.patch('/api/collections/posts', body)))

    expect(await patch({ schema })).toMatchObject({ name: 'posts', schema, permissions: {} })
    expect(await patch({ permissions })).toMatchObject({ name: 'posts', schema, permissions })
    expect(await patch({})).toMatchObject({ name: 'posts', schema, permissions })
    expect(await patch({ schema: {}, permissions: {} })).toMatchObject({ schema: {}, permissions: {} })
  })

  once('contract 5.1 unknown keys and wrong types are 422', async () => {
    const { api } = await someDocuments(wire)
    const bad = [
      { title: 'x' },
      { name: 'ok', other: 1 },
      { id: unknownId },
      { name: 5 },
      { name: null },
      { schema: [] },
      { schema: 'x' },
      { schema: { title: 'string' } },
      { schema: { title: {} } },
      { schema: { title: { type: 'string', requird: true } } },
      { schema: { title: { type: 'string', required: 'yes' } } },
      { permissions: [] },
      { permissions: { read: 'admin' } },
      { permissions: { read: [5] } },
      { permissions: { write: ['admin'] } },
    ]

    for (const body of bad) {
      expectFailure(await api.patch('/api/collections/posts', body), 422, 'VALIDATION_ERROR')
      expectFailure(await api.post('/collections', { name: 'others', ...body, other: 1 }), 422, 'VALIDATION_ERROR')
    }
    expectFailure(await api.post('/collections', {}), 422, 'VALIDATION_ERROR')
  })

  test('COL-05 DELETE removes the collection and its documents, and answers message and id', async () => {
    const { api, posts, rows } = await someDocuments(wire, [{ name: 'one' }])

    const answer = await api.delete('/collections/posts')

    expectStatus(wire.statuses.removedCollection, answer)
    if (answer.status === 200)
      expect(wire.record(answer)).toEqual({ message: expect.stringMatching(/./), id: posts.id })
    const { id } = rows[0] as { id: string }
    expectFailure(await api.get(`/collections/posts/documents/${id}`), 404, 'NOT_FOUND')
    expectFailure(await api.get(wire.listPath('posts')), 404, 'NOT_FOUND')
    expectFailure(await api.post('/collections/posts', {}), 404, 'NOT_FOUND')
    expectFailure(await api.delete('/collections/posts'), 404, 'NOT_FOUND')
    expect(wire.record(await api.get('/collections'))).toEqual([])
  })

  once('COL-05 a new collection of the old name starts empty', async () => {
    const { api, collection, rows } = await someDocuments(wire, [{ name: 'one' }])

    await api.delete('/api/collections/posts')
    const posts = await collection('posts')

    expect((await posts.list()).total).toBe(0)
    expectFailure(await api.get(`/collections/posts/${rows[0]?.id}`), 404, 'NOT_FOUND')
    const batch = { document_ids: [rows[0]?.id] }
    expectFailure(await api.post('/collections/posts/batch-delete', batch), 404, 'NOT_FOUND')
  })

  test('COL-05 documents created while their collection is deleted leave no half state', async () => {
    const { api, collection } = await someDocuments(wire)

    const [deleted, ...created] = await Promise.all([
      api.delete('/collections/posts'),
      ...Array.from({ length: 20 }, () => api.post('/collections/posts', { a: 1 })),
    ])

    expectStatus(wire.statuses.removedCollection, deleted)
    expect(created.every(({ status }) => status === 201 || status === 404)).toBe(true)
    expect((await (await collection('posts')).list()).total).toBe(0)
  })

  test.each(
    inTurn([
      ['COL-06 a space', 'my posts'],
      ['COL-06 a letter outside ASCII', 'pösts'],
      ['COL-06 an emoji', '🍵'],
      ['COL-06 a dot', 'a.b'],
      ['COL-06 a slash', 'a/b'],
      ['COL-06 a quote', 'a"b'],
      ['COL-06 a line break', 'posts\n'],
      ['COL-06 nothing', ''],
      ['COL-06 a digit first', '1posts'],
      ['COL-06 an underscore first', '_posts'],
      ['COL-06 64 letters', 'p'.repeat(64)],
      ['COL-06 __proto__', '__proto__'],
      ['contract 2.2 the reserved documents', 'documents'],
      ['contract 2.2 the reserved batch', 'batch'],
    ]),
  )('%s in a name is 400 INVALID_COLLECTION', async (_, name) => {
    const { api } = await someDocuments(wire)

    expectFailure(await api.post('/collections', { name }), 400, 'INVALID_COLLECTION')
    expectFailure(await api.post('/api/collections', { name }), 400, 'INVALID_COLLECTION')
    expectFailure(await api.patch('/api/collections/posts', { name }), 400, 'INVALID_COLLECTION')
    if (name === '') return
    const path = `/collections/${encodeURIComponent(name)}`
    // These two paths are other routes.
    if (name !== 'documents') expectFailure(await api.post(path, {}), 400, 'INVALID_COLLECTION')
    expectFailure(await api.post(`${path}/documents`, {}), 400, 'INVALID_COLLECTION')
    expectFailure(await api.post(`${path}/batch`, { documents: [{}] }), 400, 'INVALID_COLLECTION')
    expectFailure(await api.get(`${path}/documents`), 404, 'NOT_FOUND')
    expectFailure(await api.patch(`${path}/documents/${unknownId}`, {}), 404, 'NOT_FOUND')
  })

  test('COL-08 the prefix /api/collections lists, creates, and creates documents', async () => {
    const { api } = await aWorld(wire)

    expectStatus(201, await api.post('/api/collections', { name: 'posts' }))
    const body = wire.like === 'c' ? { title: 'Tea' } : { data: { title: 'Tea' } }
    const created = expectStatus(201, await api.post('/api/collections/posts/documents', body))

    expect(wire.row(wire.record(created)).fields).toEqual({ title: 'Tea' })
    expect(wire.record(expectStatus(200, await api.get('/api/collections')))).toHaveLength(1)
  })

  once('COL-02 collections of another project are not there', async () => {
    const { posts } = await someDocuments(wire)
    const stranger = await aWorld(wire)

    expect(wire.record(await stranger.api.get('/collections'))).toEqual([])
    expectFailure(await stranger.api.get('/api/collections/posts'), 404, 'NOT_FOUND')
    expectFailure(await stranger.api.get(`/api/collections/${posts.id}`), 404, 'NOT_FOUND')
    expectFailure(await stranger.api.delete(`/collections/${posts.id}`), 404, 'NOT_FOUND')
    expectFailure(await stranger.api.patch(`/collections/${posts.id}`, { name: 'mine' }), 404, 'NOT_FOUND')
  })
})
