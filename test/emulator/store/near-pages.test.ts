import { expect, test } from 'vitest'
import type { ListQuery, Sort } from '../../../client/protocol/model/page.js'
import { operators } from '../../../client/protocol/model/where.js'
import { selectPage } from '../../../emulator/store/lists/documents.js'
import type { FieldIndexes } from '../../../emulator/store/lists/indexes.js'
import { entriesRead, rowsRead, watch } from '../../fixtures/databases/rows-read.js'
import {
  aCollection,
  and,
  aQuery,
  aTarget,
  database,
  type Indexes,
  idOf,
  indexed,
  inOrder,
  list,
  onEachEngine,
  where,
  withIndexes,
} from '../../fixtures/databases/stored-lists.js'

const byId: Sort = { path: ['id'], direction: 'asc' }
const many = 2_050

/** A large collection without field indexes. */
const large: FieldIndexes = { request: () => ({ isSmall: false, documents: 100_000, has: () => false }) }

onEachEngine(() => {
  /** Each has a number and a status, and few have a rank. */
  const manyPosts = () =>
    aCollection(
      'posts',
      Array.from({ length: many }, (_, n) => ({ n, status: 'draft', rank: n % 500 === 499 ? n : undefined })),
    )

  test('a loop over a filter asks one short statement for each page, and for an index only at its end', async () => {
    const posts = await manyPosts()

    const { found, texts, asked } = await loop(posts, where('n', 'gte', '0'))

    expect(found).toEqual(Array.from({ length: many }, (_, n) => n))
    // 20 full pages, the first without a bound on the id, and the last, which 50 documents do not fill.
    const [ofLast, ...near] = texts.toReversed()
    expect(near).toHaveLength(21)
    expect(new Set(near).size).toBe(2)
    for (const text of near) expect(text.match(/from documents/g)).toHaveLength(1)
    expect(ofLast).not.toBe(near[0])
    expect(asked).toEqual([{ path: ['n'], kind: 'range' }])
  })

  test('a loop over a filter that few match asks for an index with each page', async () => {
    const posts = await manyPosts()

    const { found, texts, asked } = await loop(posts, where('rank', 'gt', '0'), 3)

    expect(found).toEqual([499, 999, 1_499, 1_999])
    expect(texts).toHaveLength(2 * 2)
    expect(asked).toEqual([
      { path: ['rank'], kind: 'range' },
      { path: ['rank'], kind: 'range' },
    ])
  })

  test('a page without a total reads no more documents than fill it', async () => {
    const posts = await manyPosts()
    const { watched, sent } = watch(database())
    const after = and(where('status', 'eq', 'draft'), where('id', 'gt', idOf(99)))

    await selectPage(watched, aTarget(posts, large), aQuery({ where: after, sort: [byId], limit: 100 }))

    expect(sent.map(({ planned }) => planned)).toEqual(['once'])
    expect(await rowsRead(database(), 'documents', sent)).toBe(100)
  })

  test('many values are looked up one by one, but compared with each document once where most documents have them', async () => {
    const tags = Array.from({ length: 60 }, (_, at) => `tag ${at}`)
    const posts = await aCollection(
      'posts',
      Array.from({ length: many }, (_, n) => ({ name: `name ${n}`, tags })),
    )
    const readFor = async (name: string, values: readonly string[]) => {
      const { watched, sent } = watch(database())
      const oneOf = { all: [{ any: [{ path: [name], operator: 'in', values }] }] } as const
      const { total } = await selectPage(
        watched,
        aTarget(posts, large),
        aQuery({ where: oneOf, count: true, limit: 20 }),
      )
      return { total, rows: await rowsRead(database(), 'documents', sent) }
    }

    const few = await readFor('name', [...tags, ...Array.from({ length: 60 }, (_, at) => `name ${at}`)])
    const most = await readFor('tags', tags)

    expect([few.total, most.total]).toEqual([60, many])
    expect(few.rows).toBeLessThan(many)
    // Until too many are found, 10,000; then the collection, and what is found in it.
    expect(most.rows).toBeLessThan(20_000)
  })

  test('a range reads of its index what lies between the bounds, not what lies on either side', async () => {
    const posts = await aCollection(
      'posts',
      Array.from({ length: many }, (_, n) => ({ n, at: new Date(n * 60_000).toISOString() })),
    )
    const hour = (at: number) => new Date(at * 3_600_000).toISOString()

    for (const [path, from, to, count] of [
      ['n', '1000', '1010', 10],
      ['at', hour(10), hour(11), 60],
    ] as const) {
      const kept = (await indexed(posts, path))?.request(posts, [])
      const asked: FieldIndexes = {
        request: () => ({ isSmall: false, documents: many, has: kept?.has ?? (() => false) }),
      }
      const { watched, sent } = watch(database())
      const range = and(where(path, 'gte', from), where(path, 'lt', to))

      const page = await selectPage(watched, aTarget(posts, asked), aQuery({ where: range, count: true, limit: 20 }))

      expect(page.total).toBe(count)
      expect(await entriesRead(database(), /^field_/, sent), path).toBeLessThanOrEqual(2 * count)
    }
  })

  test('a page without a total uses the index that serves it, and counts that', async () => {
    const posts = await manyPosts()
    const use = { path: ['id'], kind: 'desc', equal: [['status']] } as const

    const { texts, asked } = await loop(
      posts,
      where('status', 'eq', 'draft'),
      many + 1,
      await withIndexes(posts, [use]),
    )

    expect(texts).toHaveLength(1)
    expect(asked).toEqual([use])
  })

  test('a collection that a page holds is read by one statement', async () => {
    const posts = await aCollection('posts', [{ n: 1 }, { n: 2 }, { n: 3 }])
    const { watched, sent } = watch(database())
    const small: FieldIndexes = { request: () => ({ isSmall: true, documents: 3, has: () => false }) }

    const { items } = await selectPage(watched, aTarget(posts, small), aQuery({ where: where('n', 'gt', '1') }))

    expect([items.length, sent.length]).toEqual([2, 1])
  })

  test('what is found near is what is found among all', async () => {
    const values = [...inOrder, 'tea', 'TEA', ['tea', 'x'], '5', 5, 'x'.repeat(700)]
    const posts = await aCollection('posts', Array.from({ length: 3 }, () => values.map((field) => ({ field }))).flat())
    const indexes = await indexed(posts, 'field')
    // Those with one text to compare with.
    const compared = operators.filter((one) => one !== 'in' && one !== 'notin' && one !== 'isnull')

    for (const operator of compared) {
      for (const value of ['', 'a', 'tea', '5', 'true', 'null']) {
        for (const sort of [[], [byId]]) {
          for (const page of [{ limit: 3 }, { limit: 2, offset: 3 }, { limit: 90 }]) {
            const query = { where: where('field', operator, value), sort, ...page }
            const { found } = await list(posts, query)
            expect((await list(posts, { ...query, count: false })).found, `${operator} ${value}`).toEqual(found)
            expect((await list(posts, { ...query, count: false }, indexes)).found).toEqual(found)
          }
        }
      }
    }
  })
})

/** All matches by pages, as the client's `iterate` asks for them, with what was sent and which indexes were asked for. */
async function loop(collection: string, filter: ListQuery['where'], limit = 100, kept: Indexes = large) {
  const { watched, sent } = watch(database())
  const asked: unknown[] = []
  const indexes: FieldIndexes = {
    request(name, uses) {
      asked.push(...uses)
      return (kept ?? large).request(name, uses)
    },
  }
  const found: unknown[] = []
  for (let bounded = filter; ; ) {
    const query = aQuery({ where: bounded, sort: [byId], limit })
    const { items } = await selectPage(watched, aTarget(collection, indexes), query)
    found.push(...items.map(({ data }) => JSON.parse(JSON.stringify(data)).n))
    const last = items[limit - 1]
    if (!last) return { found, texts: sent.map(({ text }) => text), asked }
    bounded = and(filter, where('id', 'gt', last.id))
  }
}
