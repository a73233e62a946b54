import { expect, test } from 'vitest'
import { aWorld, expectFailure, expectStatus, inDialects, someDocuments } from '../../fixtures/wires.js'

inDialects('Names and ids of collections', (wire, { once }) => {
  once('contract 2.1 an empty id names nothing: a write to it changes and deletes nothing', async () => {
    const { api, owner, posts } = await someDocuments(wire, [{ name: 'kept' }])
    const paths = ['/', '/?x=1', '//', '/documents/', '/documents//', '/batch/']
    const refused = (status: number) => (status === 405 ? 405 : 404)

    for (const prefix of ['/collections', '/api/collections']) {
      const all = [...paths.map((path) => `${prefix}/posts${path}`), `${prefix}/`, `${prefix}//`, `${prefix}//posts`]
      for (const path of all) {
        for (const by of [api, owner]) {
          const writes = [by.delete(path), by.patch(path, { name: 'gone' }), by.put(path, { name: 'gone' })]
          for (const { status } of await Promise.all(writes))
            expect({ path, status }).toEqual({ path, status: refused(status) })
        }
      }
    }

    expect(await posts.names('')).toEqual(['kept'])
    expectStatus(200, await api.get(`${wire.listPath('posts')}/`))
  })

  once('contract 2.2 names of the allowed form are taken as they are, case kept apart', async () => {
    const { collection } = await aWorld(wire)

    for (const name of [
      'p',
      'Posts',
      'posts',
      'a-b_c9',
      `p${'x'.repeat(62)}`,
      'Documents',
      'batch-delete',
      'constructor',
    ]) {
      const shelf = await collection(name)
      const { id } = await shelf.create({ name })
      expect((await shelf.get(id)).fields).toEqual({ name })
      expect(await shelf.names('')).toEqual([name])
    }
  })

  test('contract 2.2 a duplicate name is 409, on create and rename, and under ten at once', async () => {
    const { api, collection } = await someDocuments(wire)
    await collection('others')

    expectFailure(await api.post('/collections', { name: 'posts' }), 409, 'COLLECTION_EXISTS')
    expectFailure(await api.patch('/api/collections/others', { name: 'posts' }), 409, 'COLLECTION_EXISTS')
    expectStatus(200, await api.patch('/api/collections/posts', { name: 'posts' }))
    const answers = await Promise.all(Array.from({ length: 10 }, () => api.post('/collections', { name: 'racing' })))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, ...Array(9).fill(409)])
  })

  test('contract 2.2 one of two collections that take a name at once gets it', async () => {
    const { api, collection } = await someDocuments(wire)
    await collection('others')

    const answers = await Promise.all(
      ['posts', 'others'].map((name) => api.patch(`/api/collections/${name}`, { name: 'wanted' })),
    )

    const [renamed, refused] = answers.toSorted((a, b) => a.status - b.status)
    expect(renamed?.status).toBe(200)
    if (refused) expectFailure(refused, 409, 'COLLECTION_EXISTS')
  })

  test('contract 2.3 a collection is never made silently', async () => {
    const { api } = await aWorld(wire)

    expectFailure(await api.post('/collections/posts', {}), 404, 'NOT_FOUND')
    expectFailure(await api.post('/collections/posts/documents', {}), 404, 'NOT_FOUND')
    expectFailure(await api.post('/collections/posts/batch', { documents: [{}] }), 404, 'NOT_FOUND')
    expectFailure(await api.patch('/collections/posts', { name: 'others' }), 404, 'NOT_FOUND')
    expectFailure(await api.delete('/collections/posts'), 404, 'NOT_FOUND')
    expect(wire.record(await api.get('/collections'))).toEqual([])
  })

  test('contract 2.1 ids are UUIDv7, of documents and collections', async () => {
    const { posts, rows } = await someDocuments(wire, [{ a: 1 }])

    for (const id of [posts.id, rows[0]?.id]) {
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    }
  })
})
