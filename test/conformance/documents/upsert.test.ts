/** Creating a document, or updating the one that has a value of a unique field. Contract 13.8. */
import { expect, test } from 'vitest'
import { aTown } from '../../fixtures/accounts.js'
import { sendForm } from '../../fixtures/files.js'
import { textOf } from '../../fixtures/requests/form.js'
import { expectFailure, expectStatus, inDialects, someDocuments, type Wire } from '../../fixtures/wires.js'

const slugs = { schema: { slug: { type: 'string', unique: true }, title: { type: 'string' } } }

const paths = [
  '/collections/posts?upsert=slug',
  '/collections/posts/documents?upsert=slug',
  '/api/collections/posts?upsert=slug',
  '/api/collections/posts/documents?upsert=slug',
  '/collections/documents?collection=posts&upsert=slug',
  '/api/collections/documents?collection=posts&upsert=slug',
]

/** Users who may do some things in `posts`, each from a collection of its own. */
async function withPermissions(wire: Wire, permissions: object) {
  const town = await aTown(wire)
  const posts = await town.collection('posts', { ...slugs, permissions })
  return { ...town, posts, ada: await town.anAccount(), bob: await town.anAccount() }
}

inDialects('Upserts', (wire, { once, inTurn }) => {
  test.each(paths)('contract 13.8 POST %s creates a document, then changes the fields that are sent', async (path) => {
    const { api, posts } = await someDocuments(wire, [{ slug: 'other' }], slugs)

    const created = await api.post(path, { slug: 'a', title: 'One', n: 1 })
    const updated = await api.post(path, { slug: 'a', title: 'Two' })

    const first = wire.row(wire.record(expectStatus(201, created)))
    const second = wire.row(wire.record(expectStatus(200, updated)))
    expect(first.fields).toEqual({ slug: 'a', title: 'One', n: 1 })
    expect(second).toMatchObject({ id: first.id, fields: { slug: 'a', title: 'Two', n: 1 } })
    expect([created.headers.etag, updated.headers.etag]).toEqual(['"1"', '"2"'])
    expect((await posts.list()).total).toBe(2)
  })

  once('contract 13.8 a repeated idempotency key gets the first answer, 200 or 201', async () => {
    const { api, posts } = await someDocuments(wire, [], slugs)
    const send = (key: string) => api.post('/collections/posts?upsert=slug', { slug: 'a' }, { 'idempotency-key': key })

    const answers = [await send('one'), await send('two'), await send('one'), await send('two')]

    expect(answers.map(({ status }) => status)).toEqual([201, 200, 201, 200])
    expect((await posts.list()).rows[0]?.fields).toEqual({ slug: 'a' })
  })

  once('contract 13.8 a field that is not unique is 400, and a value that is missing 422', async () => {
    const { api } = await someDocuments(wire, [], { ...slugs, unique: [['slug', 'title']] })

    for (const name of ['title', 'none', '', 'slug&upsert=slug', 'slug,title']) {
      expectFailure(await api.post(`/collections/posts?upsert=${name}`, { slug: 'a' }), 400, 'INVALID_QUERY')
    }
    const missing = await api.post('/collections/posts?upsert=slug', { title: 'One' })

    expectFailure(missing, 422, 'VALIDATION_ERROR')
    expect(missing.text).toContain('"slug"]')
  })

  once('contract 13.8 batches and forms do not take it', async () => {
    const { api, posts } = await someDocuments(wire, [{ slug: 'a' }], slugs)
    const { rows } = await posts.list()

    const answers = [
      await api.post('/collections/posts/batch?upsert=slug', { documents: [{ slug: 'b' }] }),
      await api.post('/collections/posts/batch/documents/update?upsert=slug', { updates: {} }),
      await api.post('/collections/posts/batch/documents/delete?upsert=slug', { document_ids: [rows[0]?.id] }),
      await sendForm(api, 'POST', '/collections/posts?upsert=slug', [textOf('data', '{"slug":"b"}')]),
    ]

    for (const answer of answers) expectFailure(answer, 400, 'INVALID_QUERY')
    expect((await posts.list()).rows).toEqual(rows)
  })

  once('contract 13.8 another unique value of the body may still be taken', async () => {
    const email = { schema: { ...slugs.schema, email: { type: 'string', unique: true } } }
    const { api, posts } = await someDocuments(wire, [{ slug: 'a', email: 'x' }, { slug: 'b' }], email)

    const answers = [
      await api.post('/collections/posts?upsert=slug', { slug: 'b', email: 'x' }),
      await api.post('/collections/posts?upsert=slug', { slug: 'c', email: 'x' }),
    ]

    for (const answer of answers) expectFailure(answer, 409, 'DUPLICATE_VALUE')
    for (const answer of answers) expect(answer.text).toMatch(/"email\\?"/)
    expect((await posts.list()).total).toBe(2)
  })

  test.each(inTurn(['create', 'update']))('contract 13.8 the caller needs the permission to %s', async (action) => {
    const { ada, posts } = await withPermissions(wire, { [action]: ['editor'] })
    await posts.create({ slug: 'a' })

    for (const slug of ['a', 'b']) {
      expectFailure(await ada.api.post('/collections/posts?upsert=slug', { slug }), 403, 'FORBIDDEN')
    }
  })

  once('contract 13.8 the document of another user is not changed, and its contents are not told', async () => {
    const { ada, bob } = await withPermissions(wire, {
      create: ['authenticated'],
      read: ['owner'],
      update: ['owner'],
    })
    const path = '/collections/posts?upsert=slug'

    expectStatus(201, await ada.api.post(path, { slug: 'a', title: 'Ada' }))
    expectFailure(await bob.api.post(path, { slug: 'a', title: 'Bob' }), 409, 'DUPLICATE_VALUE')
    const own = wire.row(wire.record(expectStatus(200, await ada.api.post(path, { slug: 'a', n: 1 }))))

    expect(own.fields).toEqual({ slug: 'a', title: 'Ada', n: 1 })
  })

  once('contract 13.8 a document that the caller can read but not update is 403', async () => {
    const { ada, bob } = await withPermissions(wire, { create: ['authenticated'], update: ['owner'] })

    expectStatus(201, await ada.api.post('/collections/posts?upsert=slug', { slug: 'a' }))

    expectFailure(await bob.api.post('/collections/posts?upsert=slug', { slug: 'a' }), 403, 'FORBIDDEN')
  })

  test.each(inTurn([true, false]))(
    'contract 13.8 of 64 parallel upserts one creates, with keys: %s',
    async (hasKeys) => {
      const { api, posts } = await someDocuments(wire, [], slugs)

      const answers = await Promise.all(
        Array.from({ length: 64 }, (_, at) =>
          api.post(
            '/collections/posts?upsert=slug',
            { slug: 'a', [`n${at}`]: at },
            hasKeys ? { 'idempotency-key': `k${at}` } : {},
          ),
        ),
      )

      const statuses = answers.map(({ status }) => status)
      expect(statuses.filter((status) => status === 201)).toHaveLength(1)
      expect(statuses.filter((status) => status === 200)).toHaveLength(63)
      const { rows } = await posts.list()
      expect(rows).toHaveLength(1)
      expect(Object.keys(rows[0]?.fields ?? {})).toHaveLength(65)
    },
  )
})
