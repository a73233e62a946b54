import { expect } from 'vitest'
import type { Answer } from '../../fixtures/requests/http.js'
import { aWorld, expectStatus, inDialects, someDocuments } from '../../fixtures/wires.js'

// Load and stress: many requests at once, and the most expensive queries. `expectStatus` and the helper
// that checks each answer refuse 5xx; a request that hangs ends the test.

inDialects(
  'Storms',
  (wire, { once }) => {
    once(
      'contract 5.4 after 400 writes of all kinds at once, the count is the number of documents there are',
      async () => {
        const { api, posts, rows } = await someDocuments(
          wire,
          Array.from({ length: 20 }, (_, number) => ({ number, tags: [] })),
        )
        const id = (at: number) => rows[(at * 7) % rows.length]?.id ?? ''
        const update = (at: number) => ({
          updates: { [id(at)]: { data: { a: at } }, [id(at + 1)]: { data: { b: at } } },
        })
        const writes: readonly ((at: number) => Promise<Answer>)[] = [
          () => api.post('/collections/posts', { a: 1 }),
          (at) => api.patch(`/collections/posts/${id(at)}`, { $append: { tags: at } }),
          (at) => api.put(`/collections/posts/${id(at)}`, { tags: [] }),
          (at) => api.delete(`/collections/posts/${id(at)}`),
          () => api.post('/collections/posts/batch', { documents: [{}, {}] }),
          (at) => api.post('/collections/posts/batch-delete', { document_ids: [id(at), id(at + 3)] }),
          (at) => api.post('/collections/posts/batch/documents/update', update(at)),
          (at) => api.post('/collections/posts', { a: 1 }, { 'idempotency-key': `k${at % 5}` }),
          () => api.patch('/collections/posts', { schema: {} }),
          () => posts.ask('limit=5&orderBy=number'),
        ]

        const answers = await Promise.all(
          Array.from({ length: 400 }, (_, at) => (writes[at % writes.length] ?? writes[0])?.(at)),
        )

        expect(answers.every((answer) => [200, 201, 404].includes(answer?.status ?? 0))).toBe(true)
        const { total } = await posts.list()
        expect(wire.record(await api.get('/api/collections/posts'))).toMatchObject({ document_count: total })
      },
    )

    once('contract 10.7 the worst that fits into 8 KB is served or refused, soon', async () => {
      const { api, owner, collection } = await aWorld(wire)
      const [posts, people] = [await collection('posts'), await collection('people')]
      const ada = await people.create({ name: 'Ada' })
      await posts.fill([
        { name: 'one', a: { a: 1 }, author: ada.id },
        { name: 'two', a: [1] },
      ])
      const deep = (count: number) => Array(count).fill('a').join('.')
      const either = (count: number) => Array.from({ length: count }, (_, at) => 'abcdefghij'[at % 10]).join('__or__')
      const many = (count: number, parameter: (at: number) => string) =>
        Array.from({ length: count }, (_, at) => parameter(at)).join('&')
      const texts = Array.from({ length: 2_700 }, (_, at) => at % 100).join(',')
      const dots = '.'.repeat(8_100)
      const queries = [
        ...['', 'ne', 'gt', 'contains', 'in'].map((word) => `${deep(4_000)}${word && wire.mark + word}=1`),
        ...['', 'ne', 'gt', 'contains', 'in'].map((word) => `${either(1_000)}${word && wire.mark + word}=1`),
        `orderBy=${deep(4_000)}`,
        // The first execution of a statement differs from the second, because of its plan.
        ...['', '', 'in', 'in', 'notin', 'gt', 'contains', 'isnull'].map(
          (word) => `${dots}${word && wire.mark + word}=1`,
        ),
        `${dots}${wire.mark}in=${Array.from({ length: 12 }, (_, at) => at).join(',')}`,
        `[or]${dots}=1`,
        `orderBy=${dots}`,
        `name${wire.mark}in=${texts}`,
        `id${wire.mark}in=${texts}`,
        `name${wire.mark}contains=${'%25a'.repeat(1_900)}`,
        many(199, (at) => `f${at}${wire.mark}contains=x`),
        many(199, (at) => `[or]f${at}${wire.mark}in=1,2,3,4,5`),
        `populate=author&${many(190, (at) => `author.f${at}=1`)}`,
        `populate=author.b.c.d.e&${many(190, (at) => `[or]author.b.c.d.e${at}=1`)}`,
        many(20, (at) => `populate=author${at}.b.c.d.e`),
        `populate=a.a.a.a.a&a.a.a.a.a${dots.slice(40)}=x`,
        `populate=a.a.a.a.a&a.a.a.a.a${`.${'b'.repeat(120)}`.repeat(64)}=x`,
      ]

      // A caller who may read everything needs fewer statements.
      for (const [query, key] of queries.flatMap((query) => [api, owner].map((key) => [query, key] as const))) {
        const { status } = await key.get(`${wire.listPath('posts')}?${query}`)
        expect({ query: query.slice(0, 60), good: [200, 400].includes(status) }).toEqual({
          query: query.slice(0, 60),
          good: true,
        })
      }
      expect((await posts.list()).total).toBe(2)
    })

    once('contract 2.4 a body that nobody should send leaves the service as it was', async () => {
      const { api, posts } = await someDocuments(wire)
      const bodies = [
        '['.repeat(1_000_000),
        '{"a":'.repeat(1_000_000),
        `${'[1,'.repeat(200_000)}1${']'.repeat(200_000)}`,
        `{"a":${'-'.repeat(1_000_000)}}`,
        `{"a":1${'0'.repeat(1_000_000)}}`,
        `{"a":0.${'0'.repeat(1_000_000)}1}`,
        `{"a":1e${'9'.repeat(100_000)}}`,
        `{${'"k":1,'.repeat(200_000)}"k":1}`,
        `{"documents":${'['.repeat(500_000)}`,
        '"'.repeat(1_000_001),
        '\u0000'.repeat(1_000_000),
      ]

      for (const body of bodies) {
        const { status } = await api.post('/collections/posts', body)
        const what = body.slice(0, 20)
        expect({ what, status: [201, 400, 413, 422].includes(status) }).toEqual({ what, status: true })
      }
      expectStatus(201, await api.post('/collections/posts', { a: 1 }))
      expectStatus(200, await posts.ask('a=1'))
    })
  },
  ['a', 'b'],
)
