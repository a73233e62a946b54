import { expect, test } from 'vitest'
import { expectFailure, expectStatus, inDialects, someDocuments } from '../../fixtures/wires.js'

inDialects('Versions', (wire) => {
  test('contract 3.8 every answer that is one document carries an etag of its version', async () => {
    const { api } = await someDocuments(wire)
    const created = await api.post('/collections/posts', { a: 1 })
    const path = `/collections/posts/${wire.row(wire.record(created)).id}`

    const read = await api.get(path)
    const patched = await api.patch(path, { a: 2 })
    const replaced = await api.put(path, { a: 3 })

    expect(created.headers.etag).toMatch(/^(W\/)?"[^"]+"$/)
    expect(read.headers.etag).toBe(created.headers.etag)
    expect(new Set([created, patched, replaced].map(({ headers }) => headers.etag)).size).toBe(3)
    expect((await api.get(path)).headers.etag).toBe(replaced.headers.etag)
  })

  test('contract 3.8 if-none-match answers 304 while the document is that version', async () => {
    const { api, posts } = await someDocuments(wire)
    const { id } = await posts.create({ a: 1 })
    const path = `/collections/posts/${id}`
    const { etag = '' } = (await api.get(path)).headers

    for (const header of [etag, `"other", ${etag}`, '*', `W/${etag.replace('W/', '')}`]) {
      const answer = await api.get(path, { 'if-none-match': header })
      expect({ status: answer.status, text: answer.text, etag: answer.headers.etag }).toEqual({
        status: 304,
        text: '',
        etag,
      })
    }
    expectStatus(200, await api.get(path, { 'if-none-match': '"other"' }))
    await api.patch(path, { a: 2 })
    expectStatus(200, await api.get(path, { 'if-none-match': etag }))
  })

  test('contract 3.8 if-match refuses PATCH, PUT and DELETE once the document has changed', async () => {
    const { api, posts } = await someDocuments(wire)
    const { id } = await posts.create({ a: 1 })
    const path = `/collections/posts/${id}`
    const { etag: first = '' } = (await api.get(path)).headers

    const { etag: second = '' } = expectStatus(200, await api.patch(path, { a: 2 }, { 'if-match': first })).headers

    expectFailure(await api.patch(path, { a: 9 }, { 'if-match': first }), 412, 'CONFLICT')
    expectFailure(await api.put(path, { a: 9 }, { 'if-match': first }), 412, 'CONFLICT')
    expectFailure(await api.delete(path, { 'if-match': first }), 412, 'CONFLICT')
    expect((await posts.get(id)).fields).toEqual({ a: 2 })
    expectStatus(200, await api.put(path, { a: 3 }, { 'if-match': `"other", ${second}` }))
    expectStatus(200, await api.patch(path, { a: 4 }, { 'if-match': '*' }))
    const { etag: last = '' } = (await api.get(path)).headers
    expectStatus(200, await api.delete(path, { 'if-match': last }))
  })

  test('contract 3.8 an if-match that no version ever was is 412', async () => {
    const { api, posts } = await someDocuments(wire)
    const { id } = await posts.create({ a: 1 })

    for (const header of ['"nonsense"', 'nonsense', '"999999999999999999999"', '""', '"-1"', '"1e0"']) {
      expectFailure(await api.patch(`/collections/posts/${id}`, { a: 2 }, { 'if-match': header }), 412, 'CONFLICT')
    }
    expect((await posts.get(id)).fields).toEqual({ a: 1 })
  })

  test('contract 3.8 of ten writers with the same if-match one wins', async () => {
    const { api, posts } = await someDocuments(wire)
    const { id } = await posts.create({ a: 0 })
    const path = `/collections/posts/${id}`
    const { etag = '' } = (await api.get(path)).headers

    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, number) => api.patch(path, { a: number }, { 'if-match': etag })),
    )

    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array(9).fill(412)])
  })

  test('contract 3.8 without if-match the last write wins', async () => {
    const { api, posts } = await someDocuments(wire)
    const { id } = await posts.create({ a: 1 })

    await api.patch(`/collections/posts/${id}`, { a: 2 })
    expectStatus(200, await api.patch(`/collections/posts/${id}`, { a: 3 }))

    expect((await posts.get(id)).fields).toEqual({ a: 3 })
  })

  test('contract 3.7 GET of one document takes populate, and its etag is the document’s own', async () => {
    const { api, posts, rows } = await someDocuments(wire, [{ name: 'Ada' }])
    const [ada] = rows
    const { id } = await posts.create({ author: ada?.id })

    const plain = await api.get(`/collections/posts/${id}`)
    const populated = await api.get(`/collections/posts/${id}?populate=author`)

    expect(wire.link(wire.row(wire.record(populated)).fields.author)).toEqual(ada)
    expect(populated.headers.etag).toBe(plain.headers.etag)
  })
})
