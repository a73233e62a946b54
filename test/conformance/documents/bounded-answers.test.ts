/** Limits of one answer. Contract 10.10. */
import { expect, test } from 'vitest'
import { aTown } from '../../fixtures/accounts.js'
import {
  aWorld,
  expectFailure,
  expectStatus,
  type Fields,
  inDialects,
  type Row,
  someDocuments,
} from '../../fixtures/wires.js'

const large = 'x'.repeat(900_000)

inDialects('Bounded answers', (wire, { once }) => {
  test('contract 10.10 links that multiply are 422 RESULT_TOO_LARGE, and the service is there for the next request', async () => {
    const { api, posts } = await someDocuments(wire)
    const { id } = await posts.create({ name: 'self' })
    const links = Array.from({ length: 60 }, () => id)
    expectStatus(200, await api.patch(`/collections/posts/${id}`, { l: links }))

    for (const path of ['l.l.l.l.l', 'l.l.l']) {
      expectFailure(await api.get(`/collections/posts/${id}?populate=${path}`), 422, 'RESULT_TOO_LARGE')
      expectFailure(await posts.ask(`populate=${path}`), 422, 'RESULT_TOO_LARGE')
    }

    const { fields } = await posts.get(id, 'populate=l.l')
    expect((wire.link((fields.l as unknown[])[59]).fields.l as unknown[]).length).toBe(60)
  })

  test('contract 10.10 an answer holds 10,000 populated records, and not one more', async () => {
    const { api, posts } = await someDocuments(wire)
    const { id: one } = await posts.create({ name: 'one' })
    const links = (count: number) => Array.from({ length: count }, () => one)
    const { id } = await posts.create({ name: 'all', all: links(10_000), some: links(9_999), other: one })

    const { fields } = await posts.get(id, 'populate=all')

    expect(wire.link((fields.all as unknown[])[9_999]).fields).toEqual({ name: 'one' })
    expectStatus(200, await api.get(`/collections/posts/${id}?populate=some&populate=other`))
    expectFailure(await api.get(`/collections/posts/${id}?populate=all&populate=other`), 422, 'RESULT_TOO_LARGE')
    expectFailure(await posts.ask('populate=all&populate=other'), 422, 'RESULT_TOO_LARGE')
  })

  once('contract 4.6 ids that lead nowhere stay, however many, and are no populated records', async () => {
    const { posts } = await someDocuments(wire)
    const unknown = (at: number) => `01900000-0000-7000-8000-${String(at).padStart(12, '0')}`
    const all = Array.from({ length: 15_000 }, (_, at) => unknown(at))
    const { id } = await posts.create({ all })

    expect((await posts.get(id, 'populate=all')).fields.all).toEqual(all)
  })

  test('contract 4.6 a path goes through arrays of objects as through objects', async () => {
    const { api, posts, collection } = await someDocuments(wire)
    const products = await collection('products')
    const maker = await products.create({ name: 'maker' })
    const tea = await products.create({ name: 'tea', made: [{ by: maker.id }, { by: 'nobody' }] })
    const milk = await products.create({ name: 'milk' })
    const items = [
      { product: tea.id, n: 1 },
      'text',
      { n: 2 },
      { product: milk.id, also: [tea.id, milk.id] },
      null,
      5,
      [],
      {},
    ]
    const { id } = await posts.create({ name: 'order', items, deep: { items: [{ product: milk.id }] } })

    const query = ['items.product.made.by', 'items.also', 'deep.items.product']
      .map((path) => `populate=${path}`)
      .join('&')
    const { fields } = await posts.get(id, query)
    const [listed] = (await posts.list(query)).rows

    const got = fields.items as (Fields & { also: unknown[] })[]
    const made = wire.link(got[0]?.product).fields.made as Fields[]
    expect(wire.link(made[0]?.by)).toEqual(maker)
    expect(made[1]).toEqual({ by: 'nobody' })
    expect([got[0]?.n, got[1], got[2], ...got.slice(4)]).toEqual([1, 'text', { n: 2 }, null, 5, [], {}])
    expect(wire.link(got[3]?.product)).toEqual(milk)
    expect(wire.link(got[3]?.also[1])).toEqual(milk)
    expect(wire.link((fields.deep as { items: Fields[] }).items[0]?.product)).toEqual(milk)
    expect(listed?.fields).toEqual(fields)
    expect((await posts.get(id)).fields.items).toEqual(items)
    expectStatus(200, await api.get(`/collections/posts/${id}?populate=items`))
  })

  once('contract 10.10 the fields of a user are bounded like those of a document', async () => {
    const town = await aTown(wire)
    const { api, id } = await town.anAccount()
    expectStatus(200, await api.patch('/auth-collections/user', { data: { l: Array.from({ length: 60 }, () => id) } }))

    expectFailure(await api.get('/auth-collections/user?populate=l.l.l.l.l'), 422, 'RESULT_TOO_LARGE')
    expectFailure(await town.api.get('/auth-collections/users?populate=l.l.l'), 422, 'RESULT_TOO_LARGE')
    expectFailure(await town.api.get(`/auth-collections/users/${id}?populate=l.l.l`), 422, 'RESULT_TOO_LARGE')
    expectStatus(200, await api.get('/auth-collections/user?populate=l'))
  })
})

inDialects(
  'Large answers',
  (wire, { once }) => {
    test('contract 10.10 an answer is 32 MB at most: of one record many times, of many, and of a page', async () => {
      const { api, posts } = await someDocuments(wire)
      const ids: string[] = []
      for (let count = 0; count < 40; count++) ids.push((await posts.create({ n: count, text: large })).id)
      const [first = ''] = ids
      const many = (count: number) => Array.from({ length: count }, () => first)
      const { id } = await posts.create({ one: many(30), often: many(40), each: ids })
      const ask = (path: string) => api.get(`/collections/posts/${id}?populate=${path}`)

      expectFailure(await ask('often'), 422, 'RESULT_TOO_LARGE')
      expectFailure(await ask('each'), 422, 'RESULT_TOO_LARGE')
      expectFailure(await posts.ask('limit=100'), 422, 'RESULT_TOO_LARGE')
      const { fields } = wire.row(wire.record(expectStatus(200, await ask('one'))))
      expect(wire.link((fields.one as unknown[])[29]).fields).toEqual({ n: 0, text: large })
      expect((await posts.list('limit=30&orderBy=n&order=asc')).rows.map(({ fields }) => fields.n)).toEqual(
        Array.from({ length: 30 }, (_, at) => at),
      )
    })

    once('contract 10.10 a path through arrays of many objects takes what the links in them take', async () => {
      const { posts } = await someDocuments(wire)
      const { id: linked } = await posts.create({ name: 'linked' })
      const empty = Array.from({ length: 199_990 }, () => ({}))
      const { id } = await posts.create({ items: [...empty, { a: linked }] })
      const missing = { a: '01900000-0000-7000-8000-000000000000' }
      const many = { items: Array.from({ length: 9_000 }, () => missing) }
      const [one] = await posts.fill(Array.from({ length: 15 }, () => many))
      await posts.fill(Array.from({ length: 15 }, () => many))

      const { fields } = await posts.get(id, 'populate=items.a')
      const unlinked = await posts.get(one?.id ?? '', 'populate=items.a')

      const items = fields.items as Fields[]
      expect(items.length).toBe(199_991)
      expect(wire.link(items.at(-1)?.a).fields).toEqual({ name: 'linked' })
      expect(items[0]).toEqual({})
      expect(unlinked.fields).toEqual(many)
      expectFailure(await posts.ask('limit=40&populate=items.a'), 422, 'RESULT_TOO_LARGE')
      expect((await posts.list('limit=40')).rows.length).toBe(32)
    })

    once('contract 10.10 a write that would answer too much writes nothing', async () => {
      const { api, posts, collection } = await someDocuments(wire)
      const rows: Row[] = []
      for (let count = 0; count < 40; count++) rows.push(await posts.create({ n: count, text: large }))
      const updates = Object.fromEntries(rows.map(({ id }) => [id, { data: { n: 'new' } }]))
      const text = { type: 'string', default: 'x'.repeat(60_000) }
      const swollen = await collection('swollen', { schema: { text } })
      const documents = Array.from({ length: 600 }, () => ({}))

      const update = await api.post('/collections/posts/batch/documents/update', { updates })
      const create = await api.post('/collections/swollen/batch', { documents })

      expectFailure(update, 422, 'RESULT_TOO_LARGE')
      expectFailure(create, 422, 'RESULT_TOO_LARGE')
      expect((await posts.list('n=new&limit=0')).total).toBe(0)
      expect((await swollen.list('limit=0')).total).toBe(0)
      const ids = rows.map(({ id }) => id)
      expectStatus(200, await api.post('/collections/posts/batch/documents/delete', { document_ids: ids }))
      expect((await posts.list('limit=0')).total).toBe(0)
    })

    once('contract 10.10 a write whose answer is too large only as the database writes it is rolled back', async () => {
      const { api, posts } = await someDocuments(wire)
      // Five bytes of JSON each, and 301 as the database writes them.
      const numbers = Array.from({ length: 3_000 }, () => 1e300)
      const ids = (await posts.fill(Array.from({ length: 40 }, () => ({ numbers })))).map(({ id }) => id)
      const updates = Object.fromEntries(ids.map((id) => [id, { data: { n: 'new' } }]))

      expectFailure(await api.post('/collections/posts/batch/documents/update', { updates }), 422, 'RESULT_TOO_LARGE')

      expect((await posts.list('n=new&limit=0')).total).toBe(0)
    })

    test('contract 2.4 defaults and numbers that grow in the database weigh what they take', async () => {
      const { api, collection } = await aWorld(wire)
      const schema = { a: { type: 'string', default: 'x'.repeat(60_000) } }
      await collection('swollen', { schema })
      await collection('posts')
      const numbers = (count: number) => `{"a":[${Array.from({ length: count }, () => '1e300').join()}]}`

      expectFailure(await api.post('/collections/swollen', { b: 'x'.repeat(1_000_000) }), 413, 'PAYLOAD_TOO_LARGE')
      expectFailure(await api.post('/collections/posts', numbers(4_000)), 413, 'PAYLOAD_TOO_LARGE')
      expectStatus(201, await api.post('/collections/posts', numbers(3_000)))
    })
  },
  ['a', 'c'],
)
