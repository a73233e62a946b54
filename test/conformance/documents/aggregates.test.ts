import { expect, test } from 'vitest'
import { aTown } from '../../fixtures/accounts.js'
import { control } from '../../fixtures/control.js'
import type { Answer } from '../../fixtures/requests/http.js'
import { type Api, apiOf } from '../../fixtures/service.js'
import { expectFailure, expectStatus, type Fields, inDialects, someDocuments, type Wire } from '../../fixtures/wires.js'

inDialects('Aggregates', (wire, { once, inTurn }) => {
  test('contract 13.7 counts what a filter matches, at every path of the collection', async () => {
    const { api, posts } = await someDocuments(wire, [{ n: 1 }, { n: 2 }, { n: 3, count: 9 }])
    const { countOf } = asking(wire, api)

    expect(await countOf('')).toEqual({ count: 3 })
    expect(await countOf(`n${wire.mark}gte=2`)).toEqual({ count: 2 })
    expect(await countOf(`[or]n=1&[or]n=3`)).toEqual({ count: 2 })
    expect(await countOf('n=9')).toEqual({ count: 0 })
    expect(await countOf(`count${wire.mark}eq=9`)).toEqual({ count: 1 })
    for (const path of [`/api/collections/posts`, `/collections/${posts.id}`]) {
      expect(wire.record(await api.get(`${path}/query/documents/count?n=1`))).toEqual({ count: 1 })
    }
    const head = expectStatus(200, await api.send('HEAD', '/collections/posts/query/documents/count'))
    expect(head.text).toBe('')
    const { status, headers } = await api.post('/collections/posts/query/documents/count', {})
    expect([status, headers.allow]).toEqual([405, 'GET, HEAD, OPTIONS'])
  })

  once('contract 13.7 page and order of a list change nothing, whatever they are', async () => {
    const { api } = await someDocuments(wire, [{ n: 1 }, { n: 2 }])
    const { countOf, aggregateOf, groupsOf } = asking(wire, api)
    const page = 'limit=1&offset=x&sort=n&order=desc&orderBy=n&sort_order=up&count=false'

    expect(await countOf(page)).toEqual({ count: 2 })
    expect(await aggregateOf(`field=n&operation=sum&${page}`)).toMatchObject({ result: 3 })
    expect(await groupsOf(`field=n&${page}`)).toHaveLength(2)
  })

  once('contract 13.7 a filter reaches what is populated, as in a list', async () => {
    const { api, posts, collection } = await someDocuments(wire)
    const authors = await collection('authors')
    const ada = await authors.create({ name: 'Ada' })
    await posts.fill([
      { author: ada.id, n: 2 },
      { author: 'nobody', n: 5 },
    ])
    const { countOf, aggregateOf, groupsOf } = asking(wire, api)
    const filter = 'populate=author&author.name=Ada'

    expect(await countOf(filter)).toEqual({ count: 1 })
    expect(await countOf('author.name=Ada')).toEqual({ count: 0 })
    expect(await aggregateOf(`field=n&operation=sum&${filter}`)).toMatchObject({ result: 2 })
    expect(await groupsOf(`field=author&${filter}`)).toEqual([{ author: ada.id, value: ada.id, count: 1 }])
  })

  once('contract 13.7 aggregates a field, and names the collection, whichever way it was named', async () => {
    const numbers = [
      { n: 4 },
      { n: -1.5 },
      { n: 0.1 },
      { n: 0.2 },
      { n: '7' },
      { n: null },
      { n: [3] },
      { n: true },
      {},
    ]
    const { api, posts } = await someDocuments(wire, numbers)
    const { aggregateOf } = asking(wire, api)
    const about = { field: 'n', collection: 'posts' }

    for (const [operation, result] of Object.entries({ count: 7, sum: 2.8, avg: 0.7, min: -1.5, max: 4 })) {
      expect(await aggregateOf(`field=n&operation=${operation}`)).toEqual({ ...about, operation, result })
    }
    expect(await aggregateOf('field=n')).toEqual({ ...about, operation: 'count', result: 7 })
    expect(await aggregateOf(`field=n&operation=sum&n${wire.mark}lt=0.15`)).toMatchObject({ result: -1.4 })
    const byId = await api.get(`/collections/${posts.id}/query/documents/aggregate?field=n&operation=max`)
    expect(wire.record(byId)).toEqual({ ...about, operation: 'max', result: 4 })
  })

  once('contract 13.7 a sum of nothing is 0, the others are null', async () => {
    const { api } = await someDocuments(wire, [{ n: 'seven' }])
    const { aggregateOf, groupsOf } = asking(wire, api)

    for (const field of ['n', 'missing', 'n.deeper', 'createdAt']) {
      for (const [operation, result] of Object.entries({ sum: 0, avg: null, min: null, max: null })) {
        expect(await aggregateOf(`field=${field}&operation=${operation}`)).toMatchObject({ field, result })
      }
    }
    expect(await aggregateOf('field=missing')).toMatchObject({ result: 0 })
    expect(await groupsOf('field=missing')).toEqual([])
    expect(await groupsOf('field=n&n=other')).toEqual([])
  })

  once('contract 13.7 an empty collection has a count of 0 and no groups', async () => {
    const { api } = await someDocuments(wire)
    const { countOf, aggregateOf, groupsOf } = asking(wire, api)

    expect(await countOf('')).toEqual({ count: 0 })
    expect(await aggregateOf('field=n&operation=avg')).toMatchObject({ result: null })
    expect(await groupsOf('field=n')).toEqual([])
  })

  once('contract 13.7 a sum that no double holds is 422', async () => {
    const { api } = await someDocuments(wire, [{ n: 1.7e308 }, { n: 1.7e308 }])
    const { ask, aggregateOf } = asking(wire, api)

    expectFailure(await ask('aggregate', 'field=n&operation=sum'), 422, 'RESULT_TOO_LARGE')
    expect(await aggregateOf('field=n&operation=avg')).toMatchObject({ result: 1.7e308 })
  })

  once(
    'contract 13.7 groups have each value once, the most frequent first, the oldest first among equals',
    async () => {
      const values = ['new', 'old', 5, 'old', '5', true, null, [1], { a: 1, b: 2 }, { b: 2, a: 1 }, 'old', [1], 5.0, '']
      const { api } = await someDocuments(wire, [...values.map((s) => ({ s })), {}])
      const { groupsOf } = asking(wire, api)

      expect(await groupsOf('field=s')).toEqual(
        [
          ['old', 3],
          [5, 2],
          [[1], 2],
          [{ a: 1, b: 2 }, 2],
          ['new', 1],
          ['5', 1],
          [true, 1],
          ['', 1],
        ].map(([value, count]) => ({ s: value, value, count })),
      )
      expect(await groupsOf(`field=s&s${wire.mark}ne=old&s__startswith=n`)).toEqual([
        { s: 'new', value: 'new', count: 1 },
      ])
    },
  )

  once('contract 13.7 fields may be nested, or named as anything', async () => {
    const odd = { value: 'v', count: 7, field: 'f', operation: 'o', __proto__x: 1, a: { b: { c: 2 } } }
    const fields: Fields = JSON.parse(`{"__proto__":"p",${JSON.stringify(odd).slice(1)}`)
    const { api } = await someDocuments(wire, [fields, fields])
    const { aggregateOf, groupsOf, countOf } = asking(wire, api)

    expect(await groupsOf('field=value')).toEqual([{ value: 'v', count: 2 }])
    expect(await groupsOf('field=count')).toEqual([{ value: 7, count: 2 }])
    expect(await groupsOf('field=a.b.c')).toEqual([{ 'a.b.c': 2, value: 2, count: 2 }])
    expect(await groupsOf('field=a')).toEqual([{ a: odd.a, value: odd.a, count: 2 }])
    expect(JSON.stringify(await groupsOf('field=__proto__'))).toBe('[{"__proto__":"p","value":"p","count":2}]')
    expect(await aggregateOf('field=a.b.c&operation=sum')).toMatchObject({ field: 'a.b.c', result: 4 })
    const { mark } = wire
    expect(await groupsOf(`field=field&field${mark}eq=f&operation=o`)).toEqual([{ field: 'f', value: 'f', count: 2 }])
    expect(await aggregateOf(`field=operation&operation${mark}eq=x`)).toMatchObject({ result: 0 })
    expect(await countOf('field=f&operation=o')).toEqual({ count: 2 })
  })

  once("contract 13.7 the service's own fields win over fields of their names, as in filters", async () => {
    const { api, rows } = await someDocuments(wire, [{ id: 1, createdAt: 1, created_at: 1 }])
    const { aggregateOf, groupsOf } = asking(wire, api)
    const [{ id, createdAt, updatedAt } = { id: '', createdAt: '', updatedAt: '' }] = rows

    for (const [field, value] of [
      ['id', id],
      ['createdAt', createdAt],
      ['created_at', createdAt],
      ['updatedAt', updatedAt],
    ]) {
      expect(await groupsOf(`field=${field}`)).toEqual([{ [`${field}`]: value, value, count: 1 }])
      expect(await aggregateOf(`field=${field}&operation=sum`)).toMatchObject({ result: 0 })
    }
  })

  test.each(
    inTurn([
      ['aggregate', '', 'field'],
      ['aggregate', 'field=&operation=sum', 'field'],
      ['aggregate', 'field=a&field=b', 'field'],
      ['aggregate', 'field=a&operation=median', 'operation'],
      ['aggregate', 'field=a&operation=', 'operation'],
      ['aggregate', 'field=a&operation=SUM', 'operation'],
      ['aggregate', 'field=a&operation=sum&operation=min', 'operation'],
      ['group-by', '', 'field'],
      ['group-by', 'field=', 'field'],
      ['group-by', 'field=a&field=a', 'field'],
    ]),
  )('contract 13.7 a malformed request is 400: %s?%s', async (path, query, place) => {
    const { api } = await someDocuments(wire)
    const { ask } = asking(wire, api)

    const answer = await ask(path, query)

    expectFailure(answer, 400, 'INVALID_QUERY')
    expect(answer.text).toContain(`\\"${place}\\"`)
  })

  once('contract 13.7 filters are refused as those of a list, and a missing collection is 404', async () => {
    const { api } = await someDocuments(wire)
    const { ask } = asking(wire, api)

    for (const path of ['count', 'aggregate', 'group-by']) {
      const more = path === 'count' ? '' : 'field=a&'
      expectFailure(await ask(path, `${more}a__nope=1`), 400, 'INVALID_FILTER')
      expectFailure(await ask(path, `${more}createdAt${wire.mark}gt=x`), 400, 'INVALID_FILTER')
      expectFailure(await ask(path, `${more}populate=a.b.c.d.e.f`), 400, 'INVALID_QUERY')
      expectFailure(await api.get(`/collections/missing/query/documents/${path}?${more}`), 404, 'NOT_FOUND')
    }
  })

  once('contract 13.7 owners count, sum and group only their own documents, and a reader is asked for', async () => {
    const { api, owner, anAccount } = await aTown(wire)
    expectStatus(201, await owner.post('/collections', { name: 'posts', permissions: { read: ['owner', 'editor'] } }))
    const [ada, bob] = [await anAccount(), await anAccount()]
    for (const n of [1, 2]) expectStatus(201, await ada.api.post('/collections/posts', { n }))
    expectStatus(201, await bob.api.post('/collections/posts', { n: 10 }))
    const seenBy = async (asker: Api, filter = '') => {
      const { countOf, aggregateOf, groupsOf } = asking(wire, asker)
      const { result } = (await aggregateOf(`field=n&operation=sum${filter}`)) as Fields
      const groups = (await groupsOf(`field=n${filter}`)) as Fields[]
      return [((await countOf(filter)) as Fields).count, result, groups.map(({ value }) => value)]
    }

    expect(await seenBy(ada.api)).toEqual([2, 3, [1, 2]])
    expect(await seenBy(ada.api, `&n${wire.mark}gt=1`)).toEqual([1, 2, [2]])
    expect(await seenBy(bob.api)).toEqual([1, 10, [10]])
    expect(await seenBy(owner)).toEqual([3, 13, [1, 2, 10]])
    expect(await seenBy(bob.api, '&created_by=me')).toEqual([1, 10, [10]])
    for (const path of ['count', 'aggregate?field=n', 'group-by?field=n']) {
      expectFailure(await api.get(`/collections/posts/query/documents/${path}`), 401, 'UNAUTHORIZED')
    }
    expectStatus(201, await owner.post('/collections', { name: 'links' }))
    const [post] = wire.page(await ada.api.get(wire.listPath('posts'))).rows
    expectStatus(201, await owner.post('/collections/links', { post: post?.id }))
    for (const [asker, count] of [
      [ada.api, 1],
      [bob.api, 0],
    ] as const) {
      const linked = await asker.get('/collections/links/query/documents/count?populate=post&post.n=2')
      expect(wire.record(expectStatus(200, linked))).toEqual({ count })
    }
  })

  once('contract 13.7 members count, sum and group the documents that they are members of', async () => {
    const { owner, anAccount, collection } = await aTown(wire)
    const [ada, bob] = [await anAccount(), await anAccount()]
    const posts = await collection('posts', { permissions: { read: ['member:members'] } })
    await posts.fill([{ n: 1, members: [ada.id] }, { n: 2, members: [ada.id, bob.id] }, { n: 4 }])
    const seenBy = async (asker: Api) => {
      const { countOf, aggregateOf, groupsOf } = asking(wire, asker)
      const { result } = (await aggregateOf('field=n&operation=sum')) as Fields
      return [await countOf(''), result, ((await groupsOf('field=n')) as Fields[]).map(({ value }) => value)]
    }

    expect(await seenBy(ada.api)).toEqual([{ count: 2 }, 3, [1, 2]])
    expect(await seenBy(bob.api)).toEqual([{ count: 1 }, 2, [2]])
    expect(await seenBy(owner)).toEqual([{ count: 3 }, 7, [1, 2, 4]])
  })

  once('contract 13.7 a hidden field is neither aggregated nor grouped, and the rest is', async () => {
    const { collection, api, anAccount } = await aTown(wire)
    const hidden = { salary: ['hr'], 'profile.iban': [], 'reviews.note': ['hr'] }
    const posts = await collection('posts', { permissions: { hidden } })
    await posts.create({ name: 'Ada', salary: 5000, profile: { iban: 'DE1' }, reviews: [{ note: 'good' }] })
    const [ada, hr] = [await anAccount(), await anAccount()]
    await control.users.update({ user: hr.id, roles: ['hr'] })
    const hiddenFields = ['salary', 'profile', 'profile.iban', 'profile.iban.x', 'reviews', 'reviews.0.note']
    const refused = async (asker: Api, path: string, field: string): Promise<Answer> =>
      asking(wire, asker).ask(path, `field=${field}`)

    for (const field of hiddenFields) {
      for (const path of ['aggregate', 'group-by']) {
        const answer = await refused(ada.api, path, field)
        expectFailure(answer, 403, 'FORBIDDEN')
        expect(answer.text).toContain(' is hidden from you')
      }
    }
    expectFailure(await refused(api, 'aggregate', 'salary'), 401, 'UNAUTHORIZED')
    expectFailure(await asking(wire, ada.api).ask('count', 'salary=5000'), 403, 'FORBIDDEN')
    expectFailure(await asking(wire, ada.api).ask('group-by', 'field=name&salary=5000'), 403, 'FORBIDDEN')
    expect(await asking(wire, ada.api).groupsOf('field=name')).toEqual([{ name: 'Ada', value: 'Ada', count: 1 }])
    expect(await asking(wire, hr.api).aggregateOf('field=salary&operation=sum')).toMatchObject({ result: 5000 })
  })

  test('contract 13.7 a key without the scope is refused', async () => {
    const { project, collection } = await someDocuments(wire)
    await collection('notes')
    const { key } = await control.keys.create({ project: project.id, scopes: ['read:notes'] })
    const scoped = apiOf({ 'x-api-key': key }, wire.name)

    for (const path of ['count', 'aggregate?field=n', 'group-by?field=n']) {
      expectFailure(await scoped.get(`/collections/posts/query/documents/${path}`), 403, 'FORBIDDEN')
      expectStatus(200, await scoped.get(`/collections/notes/query/documents/${path}`))
    }
  })
})

inDialects(
  'Groups',
  (wire) => {
    test('contract 13.7 at most 10,000 groups, the most frequent ones', async () => {
      const { api, posts } = await someDocuments(wire)
      for (let at = 0; at < 10_001; at += 1_000) {
        await posts.fill(Array.from({ length: Math.min(1_000, 10_001 - at) }, (_, more) => ({ n: at + more })))
      }
      await posts.fill([{ n: 10_000 }, { n: 10_000 }, { n: 7 }])

      const groups = (await asking(wire, api).groupsOf('field=n')) as Fields[]

      expect(groups).toHaveLength(10_000)
      expect(groups.slice(0, 3).map(({ value, count }) => [value, count])).toEqual([
        [10_000, 3],
        [7, 2],
        [0, 1],
      ])
      expect(groups.at(-1)?.value).toBe(9_998)
    })

    test('contract 10.10 a long name of the field counts in each group', async () => {
      const { api, posts } = await someDocuments(wire)
      for (let page = 0; page < 5; page++) {
        await posts.fill(Array.from({ length: 1_000 }, (_, at) => ({ n: [page * 1_000 + at] })))
      }
      const { ask, groupsOf } = asking(wire, api)

      expectFailure(await ask('group-by', `field=n.${'0'.repeat(8_000)}`), 422, 'RESULT_TOO_LARGE')
      expect(await groupsOf(`field=n.${'0'.repeat(1_000)}`)).toHaveLength(5_000)
    })

    test('contract 10.10 groups whose values exceed an answer are 422', async () => {
      const { api, posts } = await someDocuments(wire)
      for (let n = 0; n < 20; n++) await posts.create({ text: `${n}`.padEnd(900_000, 'x'), n: n % 2 })
      const { ask, groupsOf } = asking(wire, api)

      expectFailure(await ask('group-by', 'field=text'), 422, 'RESULT_TOO_LARGE')
      expect(await groupsOf(`field=text&n=0`)).toHaveLength(10)
    })
  },
  ['a'],
)

/** Questions about `posts`. */
function asking(wire: Wire, api: Api) {
  const ask = (path: string, query: string) => api.get(`/collections/posts/query/documents/${path}?${query}`)
  const answer = async (path: string, query: string) => wire.record(expectStatus(200, await ask(path, query)))
  return {
    ask,
    countOf: (query: string) => answer('count', query),
    aggregateOf: (query: string) => answer('aggregate', query),
    groupsOf: (query: string) => answer('group-by', query),
  }
}
