import { expect, test } from 'vitest'
import { expectStatus, inDialects, keysOf, someDocuments } from '../../fixtures/wires.js'

const isoTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/

inDialects(
  'Documents, variant A',
  (wire) => {
    test('DOC-01 a record is id, collection, data and camel times', async () => {
      const { api } = await someDocuments(wire)

      const { body } = expectStatus(201, await api.post('/collections/posts', { title: 'Tea' }))

      expect(body).toEqual({
        id: expect.any(String),
        collection: 'posts',
        data: { title: 'Tea' },
        createdAt: expect.stringMatching(isoTime),
        updatedAt: expect.stringMatching(isoTime),
      })
    })
  },
  ['a'],
)

inDialects(
  'Documents, variant B',
  (wire) => {
    test('DOC-02 a record is id, collection_id, data and snake times', async () => {
      const { api, posts } = await someDocuments(wire)

      const { body } = expectStatus(201, await api.post('/collections/posts', { title: 'Tea' }))

      expect(body).toEqual({
        id: expect.any(String),
        collection_id: posts.id,
        data: { title: 'Tea' },
        created_at: expect.stringMatching(isoTime),
        updated_at: expect.stringMatching(isoTime),
      })
    })
  },
  ['b'],
)

inDialects(
  'Documents, variant C',
  (wire) => {
    test('DOC-03 a record is the fields themselves with id and times', async () => {
      const { api } = await someDocuments(wire)

      const { body } = expectStatus(201, await api.post('/collections/posts', { title: 'Tea' }))

      expect(body).toEqual({
        success: true,
        data: {
          id: expect.any(String),
          title: 'Tea',
          createdAt: expect.stringMatching(isoTime),
          updatedAt: expect.stringMatching(isoTime),
        },
      })
    })

    test('contract 2.5 a field named id, createdAt or updatedAt is hidden by the service’s own', async () => {
      const { posts } = await someDocuments(wire)

      const { id, createdAt, updatedAt } = await posts.create({ id: 'mine', createdAt: 'then', updatedAt: 5 })

      expect(id).not.toBe('mine')
      expect([createdAt, updatedAt]).toEqual([expect.stringMatching(isoTime), expect.stringMatching(isoTime)])
    })
  },
  ['c'],
)

inDialects('Records', (wire) => {
  test('DOC-04 ids are opaque text, every one another', async () => {
    const { rows } = await someDocuments(
      wire,
      Array.from({ length: 50 }, (_, number) => ({ number })),
    )

    const ids = rows.map(({ id }) => id)

    expect(new Set(ids).size).toBe(50)
    expect(ids.every((id) => typeof id === 'string' && id !== '')).toBe(true)
  })

  test('DOC-05 any JSON comes back as it was sent', async () => {
    const { posts } = await someDocuments(wire)
    const fields = {
      texts: ['', 'é', '茶', '🍵', 'a\u0001b', '\u2028', '"\\/', '\u{10ffff}', ' '],
      numbers: [0, -1, 1.5, 1e21, -1e-7, 5e-324, 1.7976931348623157e308, 9007199254740991, 123456789012345],
      words: [true, false, null],
      nested: { a: { b: [{ c: [[], {}] }] } },
      'a.b': 1,
      'with space': 1,
      'quote"\\': 1,
      $other: 'ordinary',
      'emoji 🍵': 1,
    }

    const { id } = await posts.create(fields)
    const { fields: kept } = await posts.get(id)

    expect(kept).toEqual(JSON.parse(JSON.stringify(fields)))
  })

  test('DOC-05 an update keeps any JSON too', async () => {
    const { api, posts } = await someDocuments(wire)
    const { id } = await posts.create({ kept: { deep: [1, 'é', null] } })

    await api.patch(`/collections/posts/${id}`, { added: [{ a: [] }, '🍵', 1e300] })

    expect((await posts.get(id)).fields).toEqual({ kept: { deep: [1, 'é', null] }, added: [{ a: [] }, '🍵', 1e300] })
  })

  test('DOC-22 records of every operation come bare, or in the envelope of dialect c', async () => {
    const { api } = await someDocuments(wire)
    const created = await api.post('/collections/posts', { a: 1 })
    const { id } = wire.row(wire.record(created))
    const path = `/collections/posts/${id}`

    const answers = [created, await api.get(path), await api.patch(path, {}), await api.put(path, {})]

    for (const { body } of answers) {
      if (wire.like === 'c') expect(keysOf(body)).toEqual(['data', 'success'])
      else expect(body).toHaveProperty('id', id)
    }
  })

  test('a list names the last change that it includes, filtered, counted or empty', async () => {
    const { posts, api } = await someDocuments(wire, [{ name: 'one' }, { name: 'two' }])
    const seqOf = async (query: string) => Number((await posts.ask(query)).headers['svc-seq'])
    const queries = ['', 'name=one', 'limit=1&offset=7', 'count=false', 'count=false&name=none', 'sort=name']

    await expect.poll(() => seqOf('')).toBeGreaterThan(1)
    const before = await Promise.all(queries.map(seqOf))
    expectStatus(201, await api.post('/collections/posts', { name: 'three' }))
    // PostgreSQL numbers changes after their commit.
    await expect.poll(() => Promise.all(queries.map(seqOf))).toEqual(before.map((seq) => seq + 1))

    expect(new Set(before).size).toBe(1)
  })

  test('DOC-23 a list is a page, or an array with its total and limit in headers', async () => {
    const { posts } = await someDocuments(wire, [{ name: 'one' }, { name: 'two' }, { name: 'three' }])

    const { body, headers } = await posts.ask('limit=2&offset=1')

    if (wire.like === 'b') {
      expect(body).toHaveLength(2)
      expect(headers).toMatchObject({ 'x-total-count': '3', 'x-limit': '2' })
    } else {
      const page = { documents: expect.any(Array), total: 3, limit: 2, offset: 1 }
      expect(body).toEqual(wire.like === 'c' ? { success: true, data: page } : page)
    }
  })
})
