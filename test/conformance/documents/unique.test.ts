/** Unique fields: no two documents of a collection have the same value. Contract 13.2. */
import { expect, test } from 'vitest'
import { control } from '../../fixtures/control.js'
import type { Answer } from '../../fixtures/requests/http.js'
import { expectFailure, expectStatus, inDialects, type Row, someDocuments, type Wire } from '../../fixtures/wires.js'

const slugs = { schema: { slug: { type: 'string', unique: true } } }

/** The places of the issues in an answer. The detail form has only a sentence for this code. Contract 10.8. */
function expectPlaces(wire: Wire, { body, text }: Answer, places: readonly (readonly unknown[])[]) {
  const { error } = body as { error?: { issues?: { loc: unknown[] }[] } }
  if (wire.like === 'b') expect(text).toContain(String(places[0]?.at(-1)))
  else expect(error?.issues?.map(({ loc }) => loc)).toEqual(places)
}

const asSlug = (wire: Wire, many: readonly object[], settings: object = slugs) =>
  someDocuments(wire, many as Record<string, unknown>[], settings as Record<string, unknown>)

inDialects('Unique values', (wire, { once }) => {
  once('contract 13.2 a taken value is 409 and names the field, when created, changed and replaced', async () => {
    const { api, posts } = await asSlug(wire, [{ slug: 'one' }])
    const { id } = await posts.create({ slug: 'two' })
    const before = await posts.get(id)

    const refused = [
      await api.post('/collections/posts', { slug: 'one' }),
      await api.post('/collections/posts', { slug: 'one' }, { 'idempotency-key': 'k' }),
      await api.patch(`/collections/posts/${id}`, { slug: 'one' }),
      await api.put(`/collections/posts/${id}`, { slug: 'one' }),
      await api.post('/collections/posts/batch/documents/update', { updates: { [id]: { data: { slug: 'one' } } } }),
    ]

    for (const answer of refused) expectFailure(answer, 409, 'DUPLICATE_VALUE')
    for (const answer of refused) expect(answer.text).toContain('slug')
    expectPlaces(wire, refused[0] as Answer, [['body', 'slug']])
    const updated = ['body', 'updates', id, 'data', 'slug']
    expectPlaces(wire, refused[4] as Answer, [updated])
    expect(await posts.get(id)).toEqual(before)
    expect((await posts.list()).total).toBe(2)
  })

  once('contract 13.2 missing values and null never clash, and texts are compared as they are', async () => {
    const { api, posts } = await someDocuments(wire)
    await posts.fill([{ slug: null }, { slug: null }])
    expectStatus(200, await api.patch('/collections/posts', slugs))
    await posts.fill([
      {},
      {},
      { slug: 'é' },
      { slug: 'e\u0301' },
      { slug: 'E' },
      { slug: 'e' },
      { slug: 'e ' },
      { slug: '' },
    ])

    expectFailure(await api.post('/collections/posts', { slug: '' }), 409, 'DUPLICATE_VALUE')

    expect((await posts.list()).total).toBe(10)
  })

  once('contract 13.2 numbers, integers, booleans and links are unique by value', async () => {
    const types = ['number', 'integer', 'boolean'].map((type) => [type, { type, unique: true }])
    const { api, posts } = await someDocuments(wire, [], { schema: Object.fromEntries(types) })
    await posts.create({ number: 1e21, integer: 0, boolean: false })

    for (const fields of [{ number: 1e21 }, { integer: -0 }, { boolean: false }]) {
      expectFailure(await api.post('/collections/posts', fields), 409, 'DUPLICATE_VALUE')
    }
    await posts.create({ number: 1e21 + 1e6, integer: 1, boolean: true })
  })

  once('contract 13.2 a rule over several fields needs all of them to be the same', async () => {
    const schema = { board: { type: 'integer' }, slug: { type: 'string' } }
    const { api, posts } = await asSlug(wire, [{ board: 1, slug: 'a' }], { schema, unique: [['board', 'slug']] })
    await posts.fill([{ board: 2, slug: 'a' }, { board: 1, slug: 'b' }, { board: 1 }, { board: 1 }])

    const answer = await api.post('/collections/posts', { slug: 'a', board: 1 })

    expectFailure(answer, 409, 'DUPLICATE_VALUE')
    expectPlaces(wire, answer, [
      ['body', 'board'],
      ['body', 'slug'],
    ])
  })

  once(
    'contract 13.2 a batch with a taken value or with two equal ones writes nothing, and names the document',
    async () => {
      const { api, posts } = await asSlug(wire, [{ slug: 'one' }])

      const taken = await api.post('/collections/posts/batch', { documents: [{ slug: 'two' }, { slug: 'one' }] })
      const twice = await api.post('/collections/posts/batch', {
        documents: [{ slug: 'a' }, { slug: 'b' }, { slug: 'a' }],
      })

      expectFailure(taken, 409, 'DUPLICATE_VALUE')
      expectFailure(twice, 409, 'DUPLICATE_VALUE')
      expectPlaces(wire, taken, [['body', 'documents', 1, 'slug']])
      expectPlaces(wire, twice, [['body', 'documents', 2, 'slug']])
      expect((await posts.list()).total).toBe(1)
      await posts.fill([{ slug: 'two' }, { slug: 'a' }, { slug: 'b' }])
    },
  )

  once('contract 13.2 two documents swap their values in a batch, and no third document can take one', async () => {
    const { api, posts, rows } = await asSlug(wire, [{ slug: 'one' }, { slug: 'two' }, { slug: 'three' }])
    const [one, two, three] = rows.map(({ id }) => id) as [string, string, string]
    const path = '/collections/posts/batch/documents/update'

    expectStatus(
      200,
      await api.post(path, { updates: { [one]: { data: { slug: 'two' } }, [two]: { data: { slug: 'one' } } } }),
    )
    const both = { [one]: { data: { slug: 'new' } }, [three]: { data: { slug: 'new' } } }
    expectFailure(await api.post(path, { updates: both }), 409, 'DUPLICATE_VALUE')

    expect((await posts.get(one)).fields).toEqual({ slug: 'two' })
    expect((await posts.get(two)).fields).toEqual({ slug: 'one' })
    expectFailure(await api.post('/collections/posts', { slug: 'three' }), 409, 'DUPLICATE_VALUE')
    await posts.create({ slug: 'new' })
  })

  test('contract 13.2 a value is free again once its document is changed, loses it or is deleted', async () => {
    const { api, posts, rows } = await asSlug(wire, [
      { slug: 'a' },
      { slug: 'b' },
      { slug: 'c' },
      { slug: 'd' },
      { slug: 'e' },
    ])
    const [a, b, c, d, e] = rows.map(({ id }) => `/collections/posts/${id}`)

    expectStatus(200, await api.patch(a ?? '', { slug: 'x' }))
    expectStatus(200, await api.delete(b ?? ''))
    expectStatus(
      200,
      await api.post('/collections/posts/batch/documents/delete', { document_ids: [rows[2]?.id, rows[3]?.id] }),
    )
    if (wire.name === 'a') expectStatus(200, await api.put(e ?? '', { other: 1 }))
    else expectStatus(200, await api.delete(e ?? ''))

    expect(c).not.toBe(d)
    await posts.fill([{ slug: 'a' }, { slug: 'b' }, { slug: 'c' }, { slug: 'd' }, { slug: 'e' }])
    expectFailure(await api.post('/collections/posts', { slug: 'x' }), 409, 'DUPLICATE_VALUE')
  })

  once('contract 13.2 a document changes elsewhere, and is sent again with its own value', async () => {
    const { api, rows } = await asSlug(wire, [{ slug: 'a', n: 1 }])
    const path = `/collections/posts/${rows[0]?.id}`

    expectStatus(200, await api.patch(path, { n: 2 }))
    expectStatus(200, await api.patch(path, { slug: 'a', n: 3 }))
    expectStatus(200, await api.put(path, { slug: 'a', n: 4 }))

    expectFailure(await api.post('/collections/posts', { slug: 'a' }), 409, 'DUPLICATE_VALUE')
  })

  test('contract 13.2 unique is refused over stored data, and names the documents that share a value', async () => {
    const many = [{ slug: 'a' }, { slug: 'b' }, ...Array.from({ length: 12 }, () => ({ slug: 'a' }))]
    const { api, posts, rows } = await asSlug(wire, many, {})

    const answer = await api.patch('/collections/posts', slugs)

    expectFailure(answer, 409, 'DUPLICATE_VALUE')
    const place = ['body', 'schema', 'slug', wire.like === 'b' ? 'slug' : 'unique']
    expectPlaces(wire, answer, Array(10).fill(place))
    expect(answer.text).toContain(rows[2]?.id)
    expect(answer.text).not.toContain(rows[13]?.id)
    await posts.create({ slug: 'a' })
    expect((wire.record(await api.get('/api/collections/posts')) as { schema: object }).schema).toEqual({})
  })

  once('contract 13.2 a new rule holds for stored documents, and a removed rule for none', async () => {
    const { api, posts } = await asSlug(wire, [{ slug: 'a' }], {})
    await posts.create({})

    expectStatus(200, await api.patch('/collections/posts', slugs))
    expectFailure(await api.post('/collections/posts', { slug: 'a' }), 409, 'DUPLICATE_VALUE')
    expectStatus(200, await api.patch('/collections/posts', { schema: {} }))
    await posts.create({ slug: 'a' })
    expectFailure(await api.patch('/collections/posts', slugs), 409, 'DUPLICATE_VALUE')
  })

  once('contract 13.2 a rule over several fields is set and removed later like that of one field', async () => {
    const schema = { board: { type: 'integer' }, slug: { type: 'string' } }
    const pair = { board: 1, slug: 'a' }
    const { api, posts, rows } = await asSlug(wire, [pair, pair], { schema })
    const unique = [['board', 'slug']]

    expectFailure(await api.patch('/collections/posts', { unique }), 409, 'DUPLICATE_VALUE')
    expectStatus(200, await api.delete(`/collections/posts/documents/${rows[1]?.id}`))
    expectStatus(200, await api.patch('/collections/posts', { unique }))
    expectFailure(await api.post('/collections/posts', pair), 409, 'DUPLICATE_VALUE')
    expectStatus(200, await api.patch('/collections/posts', { unique: [] }))
    await posts.create(pair)
  })

  test('contract 13.2 collections do not share values, and neither does one that follows under the same name', async () => {
    const { api, posts, collection } = await asSlug(wire, [{ slug: 'a' }])
    const others = await collection('others', slugs)
    await others.create({ slug: 'a' })

    expectStatus(wire.statuses.removedCollection, await api.delete('/api/collections/posts'))
    await collection('posts', slugs)

    await posts.create({ slug: 'a' })
  })

  once('contract 13.2 of 64 parallel writers of one value, exactly one succeeds', async () => {
    const { api, posts, rows } = await asSlug(wire, [{ n: 1 }, { n: 2 }, { n: 3 }, { n: 4 }])
    const paths = rows.map(({ id }) => `/collections/posts/${id}`)

    const answers = await Promise.all(
      Array.from({ length: 64 }, (_, at) => {
        if (at % 4 === 0) return api.patch(paths[(at / 4) % 4] ?? '', { slug: 'same' })
        if (at % 4 === 1)
          return api.post('/collections/posts/batch', { documents: [{ slug: 'same' }, { slug: `${at}` }] })
        return api.post('/collections/posts', { slug: 'same' })
      }),
    )

    const statuses = answers.map(({ status }) => status)
    expect(statuses.filter((status) => status !== 409).length).toBeGreaterThan(0)
    const { rows: listed } = await posts.list('slug=same')
    expect(listed).toHaveLength(1)
    // The document that has the value may be changed to it again.
    expect(statuses.filter((status) => status === 201).length).toBeLessThanOrEqual(1)
    expect(statuses.filter((status) => ![200, 201, 409].includes(status))).toEqual([])
  })

  once('contract 13.2 a rule that is set while 64 write lets no document slip past it', async () => {
    const { api, posts } = await someDocuments(wire)
    const first = await posts.create({ n: 0 })
    const writes = Array.from({ length: 64 }, async (_, at) => {
      if (at % 3 === 0) return api.patch(`/collections/posts/${first.id}`, { slug: `s${at % 16}`, n: at })
      if (at % 3 === 1) return api.post('/collections/posts/batch', { documents: [{ slug: `s${at % 16}` }, {}] })
      return api.post('/collections/posts', { slug: `s${at % 16}` })
    })

    const changes = await Promise.all(Array.from({ length: 3 }, () => api.patch('/collections/posts', slugs)))
    await Promise.all(writes)

    const last = await api.patch('/collections/posts', slugs)
    const isSet = [...changes, last].some(({ status }) => status === 200)
    const { rows } = await posts.list('limit=100')
    const values = rows.flatMap(({ fields }) => (fields.slug === undefined ? [] : [fields.slug]))
    expect(new Set(values).size === values.length || !isSet).toBe(true)
    if (isSet) {
      for (const slug of new Set(values))
        expectFailure(await api.post('/collections/posts', { slug }), 409, 'DUPLICATE_VALUE')
      const free = Array.from({ length: 16 }, (_, at) => `s${at}`).filter((slug) => !values.includes(slug))
      for (const slug of free) await posts.create({ slug })
    }
  })
})

inDialects(
  'Unique values of whole states',
  (wire) => {
    test('contract 13.2 a snapshot brings back its rules and values', async () => {
      const { api, posts, rows, project } = await asSlug(wire, [{ slug: 'a' }, { slug: 'b' }])
      const place = { project: project.id, snapshot: 'before' }
      await control.snapshots.save({ project: project.id, name: 'before' })
      expectStatus(200, await api.patch(`/collections/posts/${rows[0]?.id}`, { slug: 'c' }))
      expectStatus(200, await api.delete(`/collections/posts/${rows[1]?.id}`))
      await posts.create({ slug: 'a' })

      await control.snapshots.load(place)

      for (const slug of ['a', 'b'])
        expectFailure(await api.post('/collections/posts', { slug }), 409, 'DUPLICATE_VALUE')
      await posts.create({ slug: 'c' })
      expectStatus(wire.statuses.removedCollection, await api.delete('/api/collections/posts'))
      await control.snapshots.load(place)
      expectFailure(await api.post('/collections/posts', { slug: 'b' }), 409, 'DUPLICATE_VALUE')
      await posts.create({ slug: 'c' })
    })

    test('contract 13.2 a snapshot from before a rule brings back the time without it', async () => {
      const { api, posts, project } = await asSlug(wire, [{ slug: 'a' }], {})
      await control.snapshots.save({ project: project.id, name: 'free' })
      expectStatus(200, await api.patch('/collections/posts', slugs))
      await control.snapshots.save({ project: project.id, name: 'ruled' })

      await control.snapshots.load({ project: project.id, snapshot: 'free' })
      const { id } = await posts.create({ slug: 'a' })
      await control.snapshots.load({ project: project.id, snapshot: 'ruled' })

      expectFailure(await api.get(`/collections/posts/documents/${id}`), 404, 'NOT_FOUND')
      expectFailure(await api.post('/collections/posts', { slug: 'a' }), 409, 'DUPLICATE_VALUE')
    })

    test('contract 13.2 undo brings values back, and is refused if a later document took one', async () => {
      const { api, posts, rows, project } = await asSlug(wire, [{ slug: 'a' }, { slug: 'b' }])
      const ids = rows.map(({ id }) => id)
      const command = async () => {
        const saved = await control.snapshots.save({ project: project.id, automatic: true, command: 'docs delete' })
        expectStatus(200, await api.post('/collections/posts/batch/documents/delete', { document_ids: ids }))
        await control.snapshots.finish({ project: project.id, snapshot: saved.name })
      }

      await command()
      await control.snapshots.undo({ project: project.id })
      expectFailure(await api.post('/collections/posts', { slug: 'a' }), 409, 'DUPLICATE_VALUE')
      await command()
      const { id } = await posts.create({ slug: 'a' })
      await expect(control.snapshots.undo({ project: project.id })).rejects.toMatchObject({ code: 'DUPLICATE_VALUE' })
      expectStatus(200, await api.delete(`/collections/posts/${id}`))
      await control.snapshots.undo({ project: project.id })

      expectFailure(await api.post('/collections/posts', { slug: 'b' }), 409, 'DUPLICATE_VALUE')
    })

    test('contract 13.2 a seed takes values, moves them, and is refused where two documents share one', async () => {
      const { api, posts, project } = await asSlug(wire, [{ slug: 'a', n: 1 }])
      const seed = (mode: string, documents: readonly object[]) => {
        const steps = [
          { step: 'collection', name: 'posts', key: 'n' },
          { step: 'documents', documents: documents.map((data, at) => ({ name: String(at), data })) },
        ]
        const form = new FormData()
        form.set('mode', mode)
        form.set('steps', new Blob(steps.map((step) => `${JSON.stringify(step)}\n`)), 'steps.ndjson')
        return control.seeds.apply({ project: project.id, form })
      }

      await seed('upsert', [
        { slug: 'b', n: 1 },
        { slug: 'a', n: 2 },
      ])
      for (const slug of ['a', 'b'])
        expectFailure(await api.post('/collections/posts', { slug }), 409, 'DUPLICATE_VALUE')
      const twice = [
        { slug: 'c', n: 3 },
        { slug: 'c', n: 4 },
      ]
      await expect(seed('upsert', twice)).rejects.toMatchObject({ code: 'DUPLICATE_VALUE' })
      await expect(seed('upsert', [{ slug: 'a', n: 5 }])).rejects.toMatchObject({ code: 'DUPLICATE_VALUE' })
      await seed('replace', [{ slug: 'd', n: 1 }])

      expectFailure(await api.post('/collections/posts', { slug: 'd' }), 409, 'DUPLICATE_VALUE')
      await posts.fill([{ slug: 'a' }, { slug: 'b' }, { slug: 'c' }])
    })

    test('contract 13.2 a reset frees all values', async () => {
      const { api, posts, project } = await asSlug(wire, [{ slug: 'a' }])

      await control.projects.reset({ project: project.id, collections: ['posts'] })

      await posts.create({ slug: 'a' })
      expectFailure(await api.post('/collections/posts', { slug: 'a' }), 409, 'DUPLICATE_VALUE')
    })

    test('contract 13.2 every random series of writes is refused exactly where two documents would share a value', async () => {
      const { api, posts } = await asSlug(wire, [])
      const known = new Map<string, string | undefined>()
      const isTaken = (slug: string, but?: string) => [...known].some(([id, value]) => value === slug && id !== but)
      let seed = 7
      const draw = (most: number) => {
        seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
        return Math.floor((seed / 2_147_483_648) * most)
      }

      const create = async (slug: string) => {
        const answer = await api.post('/collections/posts', { slug })
        if (isTaken(slug)) return expectFailure(answer, 409, 'DUPLICATE_VALUE')
        known.set((wire.record(expectStatus(201, answer)) as Row).id, slug)
      }
      const change = async (slug: string, id: string) => {
        const answer = await api.patch(`/collections/posts/${id}`, { slug })
        if (isTaken(slug, id)) return expectFailure(answer, 409, 'DUPLICATE_VALUE')
        expectStatus(200, answer)
        known.set(id, slug)
      }
      const remove = async (_slug: string, id: string) => {
        expectStatus(200, await api.delete(`/collections/posts/${id}`))
        known.delete(id)
      }
      const touch = async (n: string, id: string) => {
        expectStatus(200, await api.patch(`/collections/posts/${id}`, { n }))
      }
      const actions = [create, create, change, change, remove, touch]

      for (let step = 0; step < 120; step++) {
        const ids = [...known.keys()]
        const id = ids[draw(ids.length)]
        const act = id === undefined ? create : actions[draw(actions.length)]
        await act?.(`s${draw(6)}`, id ?? '')
      }

      expect(
        Object.fromEntries((await posts.list('limit=100')).rows.map(({ id, fields }) => [id, fields.slug])),
      ).toEqual(Object.fromEntries(known))
    })
  },
  ['a'],
)
