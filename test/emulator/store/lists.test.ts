import { describe, expect, test } from 'vitest'
import type { ListQuery } from '../../../client/protocol/model/page.js'
import type { Where } from '../../../client/protocol/model/where.js'
import { sql } from '../../../emulator/database/port.js'
import {
  aCollection,
  add,
  and,
  database,
  idOf,
  indexed,
  inOrder,
  list,
  n,
  onEachEngine,
  where,
} from '../../fixtures/databases/stored-lists.js'

onEachEngine(() => {
  describe('A page', () => {
    test('is the newest documents first, with the number of all', async () => {
      const posts = await aCollection('posts', [{ n: 1 }, { n: 2 }, { n: 3 }])

      expect(await list(posts, { limit: 2 })).toEqual({ found: [{ n: 3 }, { n: 2 }], total: 3 })
      expect(await list(posts, { limit: 2, offset: 2 })).toEqual({ found: [{ n: 1 }], total: 3 })
    })

    test.each<[string, Partial<ListQuery>]>([
      ['plain', {}],
      ['sorted', { sort: [{ path: ['n'], direction: 'asc' }] }],
      ['filtered', { where: where('n', 'gt', '0') }],
      ['filtered and sorted', { where: where('n', 'gt', '0'), sort: [{ path: ['n'], direction: 'desc' }] }],
    ])('that is %s has a total when it is empty, beyond the end, or not counted', async (_kind, query) => {
      const posts = await aCollection('posts', [{ n: 1 }, { n: 2 }, { n: 3 }])

      expect(await list(posts, { ...query, limit: 0 })).toEqual({ found: [], total: 3 })
      expect(await list(posts, { ...query, offset: 2_000_000_000_000 })).toEqual({ found: [], total: 3 })
      expect(await list(posts, { ...query, limit: 0, count: false })).toEqual({ found: [], total: null })
      expect(await list(posts, { ...query, offset: 2_000_000_000_000, count: false })).toEqual({
        found: [],
        total: null,
      })
      expect((await list(posts, { ...query, count: false })).found).toHaveLength(3)
    })

    test('of a filter without a total finds what is near and what is far', async () => {
      const posts = await aCollection(
        'posts',
        Array.from({ length: 2_500 }, (_, n) => ({ n, kind: n % 2 ? 'odd' : 'even', first: n < 3 })),
      )

      expect((await list(posts, { where: where('kind', 'eq', 'odd'), limit: 2, count: false })).found.map(n)).toEqual([
        2499, 2497,
      ])
      expect((await list(posts, { where: where('first', 'eq', 'true'), count: false })).found.map(n)).toEqual([2, 1, 0])
      expect((await list(posts, { where: where('kind', 'eq', 'none'), count: false })).found).toEqual([])
    })

    test('of many values looks them up after the entries that wait beside the index are merged', async () => {
      const posts = await aCollection(
        'posts',
        Array.from({ length: 2_000 }, (_, n) => ({ n, sku: `sku-${n}` })),
      )
      const values = Array.from({ length: 100 }, (_, n) => `sku-${n * 3}`)
      const many: Where = { all: [{ any: [{ path: ['sku'], operator: 'in', values }] }] }

      const { found } = await list(posts, { where: many, count: false, limit: 100 })
      const [{ pages } = { pages: -1 }] = await database().query<{ pages: number }>(
        sql`select gin_clean_pending_list('svc.documents_data'::regclass)::int as pages`,
      )

      expect(found.map(n)).toEqual(Array.from({ length: 100 }, (_, n) => 297 - n * 3))
      expect(pages).toBe(0)
    })

    test.each([
      ['asc', 0],
      ['desc', 2_499],
    ] as const)('deep in a collection is where the pages before it end, %s', async (direction, first) => {
      const posts = await aCollection(
        'posts',
        Array.from({ length: 2_500 }, (_, n) => ({ n })),
      )
      const page = (offset: number, limit: number) =>
        list(posts, { sort: [{ path: ['id'], direction }], offset, limit, count: offset % 2 === 0 })

      for (const offset of [
        999, 1_000, 1_200, 1_249, 1_250, 1_251, 1_300, 2_300, 2_479, 2_480, 2_481, 2_499, 2_500, 9_999,
      ]) {
        const numbers = Array.from({ length: Math.min(Math.max(2_500 - offset, 0), 20) }, (_, at) => offset + at)
        expect(await page(offset, 20), `from ${offset}`).toEqual({
          found: numbers.map((n) => ({ n: Math.abs(first - n) })),
          total: offset % 2 === 0 ? 2_500 : null,
        })
      }
      expect((await page(2_400, 0)).found).toEqual([])
    })

    test('after an id continues there', async () => {
      const posts = await aCollection(
        'posts',
        Array.from({ length: 30 }, (_, n) => ({ n, isEven: n % 2 === 0 })),
      )
      const after: Where = where('id', 'gt', idOf(9))
      const inOrder = { sort: [{ path: ['id'] as const, direction: 'asc' as const }], limit: 3, count: false }

      expect((await list(posts, { ...inOrder, where: after })).found.map(n)).toEqual([10, 11, 12])
      expect(
        (await list(posts, { ...inOrder, where: and(after, where('isEven', 'eq', 'true')) })).found.map(n),
      ).toEqual([10, 12, 14])
      expect((await list(posts, { ...inOrder, where: where('id', 'gt', 'zzz') })).found).toEqual([])
    })
  })

  describe.each([['without indexes'], ['with indexes']])('Sorted %s', (how) => {
    test('types, texts and numbers have one order, and missing fields are last in both directions', async () => {
      const shuffled = inOrder.map((_, at) => inOrder[(at * 11) % inOrder.length])
      const posts = await aCollection(
        'posts',
        shuffled.map((field) => ({ field })),
      )
      const indexes = how === 'with indexes' ? await indexed(posts, 'field') : undefined
      const present = inOrder.slice(0, -1)

      const ascending = await list(posts, { sort: [{ path: ['field'], direction: 'asc' }], limit: 100 }, indexes)
      const descending = await list(posts, { sort: [{ path: ['field'], direction: 'desc' }], limit: 100 }, indexes)

      expect(ascending.found.map(({ field }) => field)).toEqual([...present, undefined])
      expect(descending.found.map(({ field }) => field)).toEqual([...present.toReversed(), undefined])
    })

    test('equals are in the order of their ids, whichever the direction', async () => {
      const posts = await aCollection(
        'posts',
        Array.from({ length: 12 }, (_, n) => ({ n, third: n % 3 })),
      )
      const indexes = how === 'with indexes' ? await indexed(posts, 'third') : undefined

      const page = async (direction: 'asc' | 'desc', offset: number) =>
        (await list(posts, { sort: [{ path: ['third'], direction }], limit: 4, offset }, indexes)).found.map(n)

      expect([await page('asc', 0), await page('asc', 4)]).toEqual([
        [0, 3, 6, 9],
        [1, 4, 7, 10],
      ])
      expect([await page('desc', 0), await page('desc', 4)]).toEqual([
        [2, 5, 8, 11],
        [1, 4, 7, 10],
      ])
    })

    test('values too large for an index are stored and have their place', async () => {
      const long = (end: string) => 'm'.repeat(100_000) + end
      const posts = await aCollection('posts', [{ field: 'z' }, { field: 'a' }])
      const indexes = how === 'with indexes' ? await indexed(posts, 'field') : undefined
      const digits = Array.from({ length: 190 }, () => 1)
      await add(
        posts,
        [
          { field: long('2') },
          { field: long('1') },
          { field: 'x'.repeat(600) },
          { field: digits },
          { field: Array(5_000).fill('x') },
        ],
        2,
      )

      const { found } = await list(posts, { sort: [{ path: ['field'], direction: 'asc' }] }, indexes)
      const longer = await list(posts, { where: where('field', 'gte', long('1')) }, indexes)

      expect(found.map(({ field }) => field)).toEqual([
        'a',
        long('1'),
        long('2'),
        'x'.repeat(600),
        'z',
        digits,
        Array(5_000).fill('x'),
      ])
      expect(longer.total).toBe(4)
    })
  })
})
