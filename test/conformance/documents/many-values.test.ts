import { expect, test } from 'vitest'
import { expectFailure, expectStatus, inDialects, someDocuments } from '../../fixtures/wires.js'

inDialects(
  'Documents of many values',
  (wire) => {
    test('contract 2.4 200,000 values are kept, 200,001 are 413, and a body holds a million of them', async () => {
      const { api, posts } = await someDocuments(wire)
      const values = (count: number) => ({ a: Array.from({ length: count - 1 }, () => []) })
      const batch = (count: number, each: number) => ({ documents: Array.from({ length: count }, () => values(each)) })

      const { id } = await posts.create(values(200_000))

      expect((await posts.get(id)).fields).toEqual(values(200_000))
      expectFailure(await api.post('/collections/posts', values(200_001)), 413, 'PAYLOAD_TOO_LARGE')
      // A merge can exceed the limit of one request.
      expectFailure(await api.patch(`/collections/posts/${id}`, { more: 1 }), 413, 'PAYLOAD_TOO_LARGE')
      expectFailure(await api.post('/collections/posts/batch', batch(6, 190_000)), 413, 'PAYLOAD_TOO_LARGE')
      expect((await posts.list('limit=0')).total).toBe(1)
    })

    test('contract 2.4 documents of many values are kept as sent, in a batch and in an update of several', async () => {
      const { api, posts } = await someDocuments(wire)
      const fields = {
        n: 1,
        a: Array.from({ length: 90_000 }, () => ({})),
        'with "quotes"': ['é', '\\', '"'],
        b: [[1.5, null]],
      }

      const created = expectStatus(
        201,
        await api.post('/collections/posts/batch', { documents: [fields, { n: 2 }, fields, fields] }),
      )
      const ids = (wire.record(created) as unknown[]).map((row) => wire.row(row).id)
      const updates = Object.fromEntries(ids.map((id, at) => [id, { data: { at } }]))
      expectStatus(200, await api.post('/collections/posts/batch/documents/update', { updates }))

      const kept = await Promise.all(ids.map(async (id) => (await posts.get(id)).fields))
      expect(kept).toEqual([fields, { n: 2 }, fields, fields].map((fields, at) => ({ ...fields, at })))
    })
  },
  ['a'],
)
