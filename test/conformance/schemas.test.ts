import { expect, test } from 'vitest'
import { expectFailure, expectStatus, inDialects, someDocuments } from '../fixtures/wires.js'

/** Values that each type takes, and refuses. */
const types: readonly (readonly [string, readonly unknown[], readonly unknown[]])[] = [
  ['string', ['', 'é'], [1, true, [], {}, null]],
  ['number', [0, -1.5, 1e300], ['1', true, [], {}, null]],
  ['integer', [0, -5, 9007199254740991], [1.5, '1', true, null]],
  ['boolean', [true, false], [0, 'true', null]],
  ['array', [[], [1, 'a']], [{}, 'a', null]],
  ['object', [{}, { a: 1 }], [[], 'a', null]],
  ['datetime', ['2026-01-02T03:04:05.678Z', '2026-01-02T03:04:05Z'], ['tomorrow', '', 5, null, '2026-13-40T00:00:00Z']],
  ['file', ['https://files.example/a.png'], [5, {}, null]],
  ['any', ['', 1, true, null, [], {}], []],
]

inDialects('Schemas', (wire) => {
  test.each(types)('COL-07 a field of type %s takes its values, and any other is 422', async (type, good, bad) => {
    const { api, posts } = await someDocuments(wire, [], { schema: { field: { type } } })
    const { id } = await posts.create({})

    for (const field of good) {
      expect((await posts.create({ field })).fields).toEqual({ field })
      expectStatus(200, await api.patch(`/collections/posts/${id}`, { field }))
    }
    const { fields: before } = await posts.get(id)
    for (const field of bad) {
      expectFailure(await api.post('/collections/posts', { field }), 422, 'VALIDATION_ERROR')
      expectFailure(await api.patch(`/collections/posts/${id}`, { field }), 422, 'VALIDATION_ERROR')
      expectFailure(await api.put(`/collections/posts/${id}`, { field }), 422, 'VALIDATION_ERROR')
    }
    expect((await posts.get(id)).fields).toEqual(before)
  })

  test('COL-07 a required field that is missing is 422 and is named', async () => {
    const { api } = await someDocuments(wire, [], { schema: { title: { type: 'string', required: true } } })

    const answer = await api.post('/collections/posts', { views: 1 })

    expectFailure(answer, 422, 'VALIDATION_ERROR')
    expect(answer.text).toContain('title')
    if (wire.name === 'b') {
      expect(answer.body).toEqual({
        detail: [{ loc: ['body', 'title'], msg: expect.any(String), type: expect.any(String) }],
      })
    }
  })

  test('COL-07 a required field may not be replaced away', async () => {
    const { api, posts } = await someDocuments(wire, [], { schema: { title: { type: 'string', required: true } } })
    const { id } = await posts.create({ title: 'Tea' })

    const answer = await api.put(`/collections/posts/${id}`, { views: 1 })

    if (wire.name === 'b') expect(wire.row(wire.record(answer)).fields).toEqual({ title: 'Tea', views: 1 })
    else expectFailure(answer, 422, 'VALIDATION_ERROR')
  })

  test('COL-07 a default is applied on create, not on update', async () => {
    const schema = { views: { type: 'integer', default: 0 }, tags: { type: 'array', default: ['new'] } }
    const { api, posts } = await someDocuments(wire, [], { schema })

    const { id, fields } = await posts.create({ views: 5 })
    const [batched] = await posts.fill([{}])
    const replaced = await api.put(`/collections/posts/${id}`, { title: 'Tea' })

    expect(fields).toEqual({ views: 5, tags: ['new'] })
    expect(batched?.fields).toEqual({ views: 0, tags: ['new'] })
    const kept = wire.name === 'b' ? { views: 5, tags: ['new'], title: 'Tea' } : { title: 'Tea' }
    expect(wire.row(wire.record(replaced)).fields).toEqual(kept)
  })

  test('contract 5.2 a default satisfies required, null does not take its place', async () => {
    const schema = { title: { type: 'string', required: true, default: 'untitled' } }
    const { api, posts } = await someDocuments(wire, [], { schema })

    expect((await posts.create({})).fields).toEqual({ title: 'untitled' })
    expectFailure(await api.post('/collections/posts', { title: null }), 422, 'VALIDATION_ERROR')
  })

  test('contract 5.2 fields outside the schema are free', async () => {
    const { posts } = await someDocuments(wire, [], { schema: { title: { type: 'string' } } })

    expect((await posts.create({ other: [1] })).fields).toEqual({ other: [1] })
  })

  test('contract 5.2 a new schema holds for writes from then on, not for what is stored', async () => {
    const { api, posts, rows } = await someDocuments(wire, [{ views: 'many', name: 'old' }])
    const schema = { views: { type: 'number' }, title: { type: 'string', default: 'x' } }

    expectStatus(200, await api.patch('/api/collections/posts', { schema }))

    expect((await posts.get(rows[0]?.id ?? '')).fields).toEqual({ views: 'many', name: 'old' })
    expectFailure(await api.post('/collections/posts', { views: 'many' }), 422, 'VALIDATION_ERROR')
    expectStatus(200, await api.patch(`/collections/posts/${rows[0]?.id}`, { views: 5 }))
  })

  test('contract 5.2 an unknown type, or a default of another type, is 422', async () => {
    const { api } = await someDocuments(wire)
    const bad = [
      { type: 'text' },
      { type: 'String' },
      { type: '' },
      { type: 5 },
      { type: 'constructor' },
      { type: 'number', default: 'x' },
      { type: 'integer', default: 1.5 },
      { type: 'string', default: null },
    ]

    for (const rule of bad) {
      const schema = { field: rule }
      expectFailure(await api.post('/collections', { name: 'others', schema }), 422, 'VALIDATION_ERROR')
      expectFailure(await api.patch('/api/collections/posts', { schema }), 422, 'VALIDATION_ERROR')
    }
  })

  test('contract 5.2 a rule may be about a field of any name but __proto__, which is refused', async () => {
    const schema = { constructor: { type: 'number', required: true } }
    const { api } = await someDocuments(wire, [], { schema })

    expectFailure(await api.post('/collections/posts', {}), 422, 'VALIDATION_ERROR')
    expectStatus(201, await api.post('/collections/posts', '{"__proto__":"x","constructor":1}'))
    const refused = await api.patch('/collections/posts', '{"schema":{"__proto__":{"type":"string"}}}')
    expectFailure(refused, 422, 'VALIDATION_ERROR')
  })
})
