import { expect, test } from 'vitest'
import { expectFailure, expectStatus, inDialects, type Row, someDocuments } from '../../fixtures/wires.js'

const unknownId = '01900000-0000-7000-8000-000000000000'
const createPaths = [
  '/collections/posts/batch',
  '/collections/posts/batch/documents',
  '/collections/posts/batch/documents/create',
]
const deletePaths = ['/collections/posts/batch-delete', '/collections/posts/batch/documents/delete']
const updatePath = '/collections/posts/batch/documents/update'

inDialects('Batches', (wire, { once }) => {
  const rowsOf = (record: unknown): Row[] => (record as unknown[]).map(wire.row)

  test.each(createPaths)('DOC-19 POST %s creates documents in request order', async (path) => {
    const { api, posts } = await someDocuments(wire)
    const many = Array.from({ length: 30 }, (_, number) => ({ number }))

    const rows = rowsOf(wire.record(expectStatus(201, await api.post(path, { documents: many }))))

    expect(rows.map(({ fields }) => fields)).toEqual(many)
    const { rows: listed, total } = await posts.list('limit=30')
    expect(total).toBe(30)
    expect(listed.toReversed()).toEqual(rows)
  })

  test.each(['return=minimal', 'respond-async, return="minimal"', 'Return=minimal; x=1'])(
    'a batch with `prefer: %s` is done, once, and nothing is sent back',
    async (prefer) => {
      const { api, posts } = await someDocuments(wire)
      const headers = { prefer, 'idempotency-key': 'once' }
      const documents = [{ a: 1 }, { a: 2 }]

      const answers = [
        await api.post('/collections/posts/batch', { documents }, headers),
        await api.post('/collections/posts/batch', { documents }, headers),
      ]

      for (const answer of answers) {
        expectStatus(204, answer)
        expect(answer.headers['preference-applied']).toBe('return=minimal')
      }
      expect((await posts.list()).rows.map(({ fields }) => fields)).toEqual(documents.toReversed())
    },
  )

  test('contract 10.10 a batch in which everything is wrong is answered with its first 1,000 issues', async () => {
    const { api } = await someDocuments(wire)
    const names = Array.from({ length: 50 }, (_, at) => [`field${at}`, { type: 'string', required: true }])
    expectStatus(200, await api.patch('/collections/posts', { schema: Object.fromEntries(names) }))
    const documents = Array.from({ length: 1_000 }, () => ({}))

    const answer = await api.post('/collections/posts/batch', { documents })

    expectFailure(answer, 422, 'VALIDATION_ERROR')
    expect(answer.text.split('required').length).toBeLessThan(3_000)
  })

  once('another preference is passed over, and a batch that fails says why whatever was preferred', async () => {
    const { api } = await someDocuments(wire)

    const passed = await api.post('/collections/posts/batch', { documents: [{}] }, { prefer: 'return=representation' })
    const failed = await api.post('/collections/none/batch', { documents: [{}] }, { prefer: 'return=minimal' })

    expect(rowsOf(wire.record(expectStatus(201, passed)))).toHaveLength(1)
    expectFailure(failed, 404, 'NOT_FOUND')
  })

  test('contract 3.6 an item is bare, or {data} where the dialect wraps', async () => {
    const { api } = await someDocuments(wire)

    const answer = await api.post('/collections/posts/batch', { documents: [{ a: 1 }, { data: { b: 2 } }, {}] })

    const fields = rowsOf(wire.record(expectStatus(201, answer))).map(({ fields }) => fields)
    expect(fields).toEqual([{ a: 1 }, wire.like === 'c' ? { data: { b: 2 } } : { b: 2 }, {}])
  })

  test('DOC-20 POST …/batch/documents/update merges each', async () => {
    const { api, posts, rows } = await someDocuments(wire, [{ name: 'one', a: 1 }, { name: 'two' }, { name: 'three' }])
    const [one, two] = rows.map(({ id }) => id) as [string, string, string]

    const updates = { [two]: { data: { a: 2 } }, [one]: { data: { b: 1 } } }
    const answer = expectStatus(200, await api.post(updatePath, { updates }))

    if (wire.name === 'd') expect(wire.record(answer)).toMatchObject({ status: 'success', count: 2 })
    else
      expect(rowsOf(wire.record(answer)).map(({ id, fields }) => [id, fields])).toEqual([
        [two, { name: 'two', a: 2 }],
        [one, { name: 'one', a: 1, b: 1 }],
      ])
    expect((await posts.get(two)).fields).toEqual({ name: 'two', a: 2 })
    expect((await posts.get(one)).fields).toEqual({ name: 'one', a: 1, b: 1 })
  })

  test('contract 3.6 an update is {data}, or bare fields where the dialect wraps', async () => {
    const { api, posts, rows } = await someDocuments(wire, [{ name: 'one' }])
    const [one] = rows.map(({ id }) => id) as [string]

    const answer = await api.post(updatePath, { updates: { [one]: { a: 1 } } })

    if (wire.like === 'c') expectFailure(answer, 422, 'VALIDATION_ERROR')
    else expectStatus(200, answer)
    expect((await posts.get(one)).fields).toEqual(wire.like === 'c' ? { name: 'one' } : { name: 'one', a: 1 })
  })

  test.each(deletePaths)('DOC-21 POST %s deletes them and answers message, ids and count', async (path) => {
    const { api, posts, rows } = await someDocuments(wire, [{ name: 'one' }, { name: 'two' }, { name: 'three' }])
    const [one, two] = rows.map(({ id }) => id) as [string, string, string]

    const answer = expectStatus(200, await api.post(path, { document_ids: [two, one] }))

    expect(wire.record(answer)).toEqual({
      message: expect.stringMatching(/./),
      ...wire.removed({ ids: [two, one], count: 2 }),
    })
    expect(await posts.names('')).toEqual(['three'])
  })

  once('contract 3.6 one bad item fails a whole create', async () => {
    const { api, posts } = await someDocuments(wire, [], { schema: { n: { type: 'number' } } })
    const bad: readonly (readonly [unknown, number, string])[] = [
      [{ n: 'text' }, 422, 'VALIDATION_ERROR'],
      ['text', 422, 'VALIDATION_ERROR'],
      [null, 422, 'VALIDATION_ERROR'],
      [[], 422, 'VALIDATION_ERROR'],
      [{ a: '\0' }, 422, 'VALIDATION_ERROR'],
      [{ a: 'x'.repeat(1024 * 1024) }, 413, 'PAYLOAD_TOO_LARGE'],
    ]

    for (const [item, status, code] of bad) {
      const documents = [...Array.from({ length: 20 }, () => ({ n: 1 })), item, { n: 2 }]
      expectFailure(await api.post('/collections/posts/batch', { documents }), status, code)
    }
    expect((await posts.list()).total).toBe(0)
  })

  once('contract 3.6 one bad item fails a whole update, and an unknown id is named', async () => {
    const settings = { schema: { n: { type: 'number' } } }
    const { api, posts, rows } = await someDocuments(wire, [{ n: 1 }, { n: 2 }], settings)
    const [one, two] = rows.map(({ id }) => id) as [string, string]
    const update = (updates: unknown) => api.post(updatePath, { updates })

    for (const id of [unknownId, 'nothing']) {
      const answer = await update({ [one]: { data: { n: 5 } }, [id]: { data: { n: 6 } } })
      expectFailure(answer, 404, 'NOT_FOUND')
      expect(answer.text).toContain(id)
    }
    expectFailure(await update({ [one]: { data: { n: 5 } }, [two]: { data: { n: 'x' } } }), 422, 'VALIDATION_ERROR')
    expectFailure(await update({ [one]: { data: { n: 5 } }, [two]: 'text' }), 422, 'VALIDATION_ERROR')
    expectFailure(
      await update({ [one]: { data: { n: 5 } }, [two]: { data: { $append: { n: 1 } } } }),
      422,
      'VALIDATION_ERROR',
    )
    expect((await posts.list()).rows.map(({ fields }) => fields)).toEqual([{ n: 2 }, { n: 1 }])
  })

  once('contract 3.6 an unknown id fails a whole delete', async () => {
    const { api, posts, rows } = await someDocuments(wire, [{ name: 'one' }, { name: 'two' }])
    const [one] = rows.map(({ id }) => id) as [string]

    for (const id of [unknownId, 'nothing', '']) {
      expectFailure(await api.post(deletePaths[0] as string, { document_ids: [one, id] }), 404, 'NOT_FOUND')
    }
    expect((await posts.list()).total).toBe(2)
  })

  once('contract 3.6 1,000 items are served, 1,001 are 422', async () => {
    const { api, posts } = await someDocuments(wire)
    const many = (count: number) => Array.from({ length: count }, (_, number) => ({ number }))

    const created = expectStatus(201, await api.post('/collections/posts/batch', { documents: many(1_000) }))
    const ids = rowsOf(wire.record(created)).map(({ id }) => id)
    const updates = Object.fromEntries(ids.map((id) => [id, { data: { seen: true } }]))

    expectFailure(await api.post('/collections/posts/batch', { documents: many(1_001) }), 422, 'VALIDATION_ERROR')
    expectFailure(
      await api.post(updatePath, { updates: { ...updates, [unknownId]: { data: {} } } }),
      422,
      'VALIDATION_ERROR',
    )
    const tooMany = { document_ids: [...ids, unknownId] }
    expectFailure(await api.post(deletePaths[0] as string, tooMany), 422, 'VALIDATION_ERROR')
    expectStatus(200, await api.post(updatePath, { updates }))
    expect((await posts.list('seen=true')).total).toBe(1_000)
    expectStatus(200, await api.post(deletePaths[0] as string, { document_ids: ids }))
    expect((await posts.list()).total).toBe(0)
  })

  test('contract 3.6 an empty batch does nothing', async () => {
    const { api } = await someDocuments(wire)

    expect(wire.record(expectStatus(201, await api.post('/collections/posts/batch', { documents: [] })))).toEqual([])
    const updated = expectStatus(200, await api.post(updatePath, { updates: {} }))
    const deleted = expectStatus(200, await api.post(deletePaths[0] as string, { document_ids: [] }))
    expect(wire.record(updated)).toEqual(wire.name === 'd' ? expect.objectContaining({ count: 0 }) : [])
    expect(wire.record(deleted)).toMatchObject(wire.removed({ ids: [], count: 0 }))
  })

  once('contract 3.6 a batch of another form is 422', async () => {
    const { api, rows } = await someDocuments(wire, [{ name: 'one' }])
    const [one] = rows.map(({ id }) => id)
    const bodies: readonly (readonly [string, readonly unknown[]])[] = [
      ['/collections/posts/batch', [{}, { documents: {} }, { documents: 'x' }, { documents: null }]],
      [updatePath, [{}, { updates: [5] }, { updates: 'x' }, { updates: { [`${one}`]: null } }]],
      [deletePaths[0] as string, [{}, { document_ids: one }, { document_ids: [5] }, { document_ids: [null] }]],
    ]

    for (const [path, bad] of bodies) {
      for (const body of bad) expectFailure(await api.post(path, body), 422, 'VALIDATION_ERROR')
    }
  })

  once('contract 3.6 batches on a collection that does not exist are 404', async () => {
    const { api } = await someDocuments(wire)

    const at = (path: string) => path.replace('posts', 'nowhere')
    expectFailure(await api.post(at('/collections/posts/batch'), { documents: [{}] }), 404, 'NOT_FOUND')
    expectFailure(await api.post(at(updatePath), { updates: { [unknownId]: { data: {} } } }), 404, 'NOT_FOUND')
    expectFailure(await api.post(at(deletePaths[1] as string), { document_ids: [unknownId] }), 404, 'NOT_FOUND')
  })

  once('contract 3.6 POST /collections/documents?collection=<c> creates a document', async () => {
    const { api, posts } = await someDocuments(wire)

    const answer = expectStatus(201, await api.post('/collections/documents?collection=posts', { title: 'Tea' }))

    expect((await posts.get(wire.row(wire.record(answer)).id)).fields).toEqual({ title: 'Tea' })
    expectFailure(await api.post('/collections/documents?collection=nowhere', {}), 404, 'NOT_FOUND')
    expectFailure(await api.post('/collections/documents?collection=no%20name', {}), 400, 'INVALID_COLLECTION')
    expectFailure(await api.post('/collections/documents', {}), 422, 'VALIDATION_ERROR')
  })

  once('contract 3.6 two batches at once that touch the same documents in other orders both end', async () => {
    const { api, posts, rows } = await someDocuments(
      wire,
      Array.from({ length: 50 }, (_, number) => ({ number })),
    )
    const ids = rows.map(({ id }) => id)
    const update = (order: readonly string[], by: string) =>
      api.post(updatePath, { updates: Object.fromEntries(order.map((id) => [id, { data: { [by]: true } }])) })

    const answers = await Promise.all([
      update(ids, 'x'),
      update(ids.toReversed(), 'y'),
      update(ids, 'z'),
      update(ids.toReversed(), 'w'),
    ])

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    expect((await posts.list('x=true&y=true&z=true&w=true')).total).toBe(50)
  })
})
