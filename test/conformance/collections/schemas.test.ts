import { expect, test } from 'vitest'
import { sendForm } from '../../fixtures/files.js'
import { fileOf, textOf } from '../../fixtures/requests/form.js'
import { expectFailure, expectStatus, inDialects, someDocuments } from '../../fixtures/wires.js'
import { expectValues } from './field-values.js'

/** Values that each type takes, and refuses. */
const types: readonly (readonly [string, readonly unknown[], readonly unknown[]])[] = [
  ['string', ['', 'é'], [1, true, [], {}, null]],
  ['number', [0, -1.5, 1e300], ['1', true, [], {}, null]],
  ['integer', [0, -5, 9007199254740991], [1.5, '1', true, null]],
  ['boolean', [true, false], [0, 'true', null]],
  ['array', [[], [1, 'a']], [{}, 'a', null]],
  ['object', [{}, { a: 1 }], [[], 'a', null]],
  [
    'datetime',
    ['2026-01-02T03:04:05.678Z', '2026-01-02T03:04:05Z', '2024-02-29', '2026-12-31T23:30:00-05:00'],
    [
      'tomorrow',
      '',
      5,
      null,
      '2026-13-40T00:00:00Z',
      '2026-02-30',
      '2026-02-30T10:00:00Z',
      '2025-02-29',
      '2026-04-31T00:00:00+02:00',
    ],
  ],
  ['file', ['https://files.example/a.png'], [5, {}, null]],
  ['any', ['', 1, true, null, [], {}], []],
]

inDialects('Schemas', (wire, { once }) => {
  test.each(types)('COL-07 a field of type %s takes its values, and any other is 422', (type, good, bad) =>
    expectValues(wire, { type }, good, bad),
  )

  once('COL-07 a text that is not a datetime is refused with an example of one', async () => {
    const { api, posts } = await someDocuments(wire, [], { schema: { due: { type: 'datetime' } } })

    const answer = await api.post('/collections/posts', { due: 'tomorrow' })

    expectFailure(answer, 422, 'VALIDATION_ERROR')
    const [, example = ''] = /such as \\?"([^"\\]+)/.exec(answer.text) ?? []
    expect((await posts.create({ due: example })).fields).toEqual({ due: example })
  })

  test('COL-07 a required field that is missing is 422 and is named', async () => {
    const { api } = await someDocuments(wire, [], { schema: { title: { type: 'string', required: true } } })

    const answer = await api.post('/collections/posts', { views: 1 })

    expectFailure(answer, 422, 'VALIDATION_ERROR')
    expect(answer.text).toContain('title')
    if (wire.like === 'b') {
      expect(answer.body).toEqual({
        detail: [{ loc: ['body', 'title'], msg: expect.any(String), type: expect.any(String) }],
      })
    }
  })

  test('COL-07 a required field may not be replaced away', async () => {
    const { api, posts } = await someDocuments(wire, [], { schema: { title: { type: 'string', required: true } } })
    const { id } = await posts.create({ title: 'Tea' })

    const answer = await api.put(`/collections/posts/${id}`, { views: 1 })

    if (wire.like === 'b') expect(wire.row(wire.record(answer)).fields).toEqual({ title: 'Tea', views: 1 })
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
    const kept = wire.like === 'b' ? { views: 5, tags: ['new'], title: 'Tea' } : { title: 'Tea' }
    expect(wire.row(wire.record(replaced)).fields).toEqual(kept)
  })

  once('contract 5.2 a default satisfies required, null does not take its place', async () => {
    const schema = { title: { type: 'string', required: true, default: 'untitled' } }
    const { api, posts } = await someDocuments(wire, [], { schema })

    expect((await posts.create({})).fields).toEqual({ title: 'untitled' })
    expectFailure(await api.post('/collections/posts', { title: null }), 422, 'VALIDATION_ERROR')
  })

  once(
    'contract 5.2 a required field with a default is added, and documents without it can still be changed',
    async () => {
      const { api, posts, rows } = await someDocuments(wire, [{ title: 'old' }, { title: 'older' }])
      const [{ id = '' } = {}, { id: other = '' } = {}] = rows
      const schema = { status: { type: 'string', required: true, default: 'new' } }
      expectStatus(200, await api.patch('/api/collections/posts', { schema }))

      expectStatus(200, await api.patch(`/collections/posts/${id}`, { views: 1 }))
      const updates = { [id]: { data: { views: 2 } }, [other]: { data: { views: 3 } } }
      expectStatus(200, await api.post('/collections/posts/batch/documents/update', { updates }))
      const kept = await Promise.all([id, other].map((one) => posts.get(one)))
      expectStatus(200, await api.put(`/collections/posts/${id}`, { title: 'replaced' }))

      expect(kept.map(({ fields }) => fields)).toEqual([
        { title: 'old', views: 2 },
        { title: 'older', views: 3 },
      ])
      expect((await posts.create({})).fields).toEqual({ status: 'new' })
      for (const status of [null, 5]) {
        expectFailure(await api.patch(`/collections/posts/${id}`, { status }), 422, 'VALIDATION_ERROR')
      }
    },
  )

  test('contract 5.2 a document that is replaced has what is required, and other fields as they were sent', async () => {
    const done = { type: 'boolean', required: true, default: false }
    const schema = { title: { type: 'string', required: true }, done, note: { type: 'string', default: 'x' } }
    const { api, posts } = await someDocuments(wire, [], { schema })
    const { id } = await posts.create({ title: 'a', done: true })
    const path = `/collections/posts/${id}`
    // In this dialect a PUT changes what it names.
    const kept = wire.like === 'b' ? { done: true, note: 'x' } : { done: false }

    const replaced = await api.put(path, { title: 'b' })
    expectStatus(200, await api.patch(path, { note: 'y' }))
    const withFile = await sendForm(api, 'PUT', path, [fileOf('photo'), textOf('data', { title: 'c' })])

    expect(wire.row(wire.record(replaced)).fields).toEqual({ title: 'b', ...kept })
    expectStatus(200, withFile)
    expect((await posts.get(id)).fields).toMatchObject({ title: 'c', done: kept.done, photo: expect.anything() })
    expectStatus(200, await api.put(path, { title: 'd' }))
    expect((await posts.get(id)).fields).toMatchObject({ title: 'd', done: kept.done })
  })

  once('contract 5.2 fields outside the schema are free', async () => {
    const { posts } = await someDocuments(wire, [], { schema: { title: { type: 'string' } } })

    expect((await posts.create({ other: [1] })).fields).toEqual({ other: [1] })
  })

  once('contract 5.2 a new schema holds for writes from then on, not for what is stored', async () => {
    const { api, posts, rows } = await someDocuments(wire, [{ views: 'many', name: 'old' }])
    const schema = { views: { type: 'number' }, title: { type: 'string', default: 'x' } }

    expectStatus(200, await api.patch('/api/collections/posts', { schema }))

    expect((await posts.get(rows[0]?.id ?? '')).fields).toEqual({ views: 'many', name: 'old' })
    expectFailure(await api.post('/collections/posts', { views: 'many' }), 422, 'VALIDATION_ERROR')
    expectStatus(200, await api.patch(`/collections/posts/${rows[0]?.id}`, { views: 5 }))
  })

  once('contract 5.2 an unknown type, or a default of another type, is 422', async () => {
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

  once('contract 2.4 a rule may be about a field of any name, __proto__ among them', async () => {
    const { api } = await someDocuments(wire)
    const rules = '{"__proto__":{"type":"string","required":true},"constructor":{"type":"number","default":7}}'

    const changed = expectStatus(200, await api.patch('/collections/posts', `{"schema":${rules}}`))
    const kept = expectStatus(200, await api.get('/api/collections/posts'))
    const missing = await api.post('/collections/posts', {})
    const wrong = await api.post('/collections/posts', '{"__proto__":5}')
    const created = expectStatus(201, await api.post('/collections/posts', '{"__proto__":"x"}'))

    for (const { text } of [changed, kept]) expect(text).toMatch(/"__proto__":\{"type":"string","required":true\}/)
    for (const refused of [missing, wrong]) {
      expectFailure(refused, 422, 'VALIDATION_ERROR')
      expect(refused.text).toContain('"loc":["body","__proto__"]')
    }
    expect(created.text).toMatch(/"__proto__":"x"/)
    expect(created.text).toMatch(/"constructor":7/)
  })

  once('contract 2.4 a default is kept as it was sent, __proto__ in it too', async () => {
    const field = '{"__proto__":{"polluted":1},"list":[{"__proto__":2}]}'
    const rules = `{"meta":{"type":"object","default":${field}}}`
    const { api } = await someDocuments(wire)

    expectStatus(201, await api.post('/collections', `{"name":"notes","schema":${rules}}`))
    const { text } = expectStatus(201, await api.post('/collections/notes', {}))

    expect(text).toMatch(/"__proto__": ?\{"polluted": ?1\}/)
    expect(text).toMatch(/"list": ?\[\{"__proto__": ?2\}\]/)
  })

  once('contract 10.4 what is wrong with a schema is named by its place', async () => {
    const { api } = await someDocuments(wire)
    const loc = async (schema: object) => JSON.stringify((await api.patch('/collections/posts', { schema })).body)

    expect(await loc({ a: { type: 'colour' } })).toContain('"loc":["body","schema","a","type"]')
    expect(await loc({ a: 'string' })).toContain('"loc":["body","schema","a"]')
    expect(await loc({ a: { type: 'string', min: 1 } })).toContain('"loc":["body","schema","a","min"]')
    expect(await loc({ a: { type: 'string', default: 1 } })).toContain('"loc":["body","schema","a","default"]')
  })

  once('contract 10.10 a schema has 1,000 fields and takes 64 KB at most, and a refusal says so', async () => {
    const { api, posts } = await someDocuments(wire)
    const fields = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`f${at}`, { type: 'string' }]))
    const heavy = (bytes: number) => ({ text: { type: 'string', default: 'é'.repeat(bytes / 2) } })

    for (const [schema, words] of [
      [fields(1_001), '1,000 fields'],
      [heavy(65_600), '64 KB'],
    ] as const) {
      for (const answer of [
        await api.post('/collections', { name: 'others', schema }),
        await api.patch('/api/collections/posts', { schema }),
      ]) {
        expectFailure(answer, 422, 'VALIDATION_ERROR')
        expect(answer.text).toContain(words)
      }
    }

    expectStatus(200, await api.patch('/api/collections/posts', { schema: fields(1_000) }))
    expectFailure(await api.post('/collections/posts', { f999: 1 }), 422, 'VALIDATION_ERROR')
    expectStatus(200, await api.patch('/api/collections/posts', { schema: heavy(65_000) }))
    expect((await posts.create({})).fields.text).toBe('é'.repeat(32_500))
  })
})

inDialects(
  'Schemas of many collections',
  (wire) => {
    test('contract 10.10 all schemas of a project fit in one list of collections', async () => {
      const { api } = await someDocuments(wire)
      const schema = { text: { type: 'string', default: 'x'.repeat(65_000) } }
      const longer = { text: { type: 'string', default: 'x'.repeat(65_400) } }
      const create = (name: string) => api.post('/collections', { name, schema })
      let made = 0
      let answer = await create('c0')
      while (answer.status === 201 && made < 600) answer = await create(`c${++made}`)

      expectFailure(answer, 422, 'VALIDATION_ERROR')
      expect(answer.text).toContain('8 MB')
      expect((expectStatus(200, await api.get('/collections')).body as unknown[]).length).toBe(made + 1)
      expectFailure(await api.get(`/api/collections/c${made}`), 404, 'NOT_FOUND')
      expectStatus(200, await api.patch('/api/collections/c0', { schema: {} }))
      expectStatus(200, await api.patch('/api/collections/c1', { schema: longer }))
      expectStatus(201, await create('again'))
      expectStatus(201, await api.post('/collections', { name: 'small' }))
      expectFailure(await api.patch('/api/collections/c0', { schema: longer }), 422, 'VALIDATION_ERROR')
      expectStatus(200, await api.patch('/api/collections/c0', { name: 'renamed' }))
    })
  },
  ['a'],
)
