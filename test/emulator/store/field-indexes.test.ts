import { describe, expect, test } from 'vitest'
import type { Sort } from '../../../client/protocol/model/page.js'
import type { Operator, Where } from '../../../client/protocol/model/where.js'
import { sql } from '../../../emulator/database/port.js'
import { inlined, type KnownFields } from '../../../emulator/store/lists/indexes.js'
import { buildPage } from '../../../emulator/store/lists/page.js'
import { planList } from '../../../emulator/store/lists/plan.js'
import { patientSql } from '../../../emulator/store/upkeep/tables.js'
import { rowsRead } from '../../fixtures/databases/rows-read.js'
import {
  aCollection,
  and,
  database,
  explained,
  explainedForAny,
  type Indexes,
  idOf,
  indexed,
  inOrder,
  list,
  n,
  onEachEngine,
  where,
  withIndexes,
} from '../../fixtures/databases/stored-lists.js'

const long = 'x'.repeat(700)
const names = [
  "it's",
  'a"b',
  'back\\slash',
  "\\'; drop table documents; --",
  '$1',
  '{a,b}',
  'NULL',
  ' ',
  'ünï',
  'd.data',
  '$$',
]

/** As if the collection had many more documents. */
function amongMany(indexes: Indexes): Indexes {
  return { request: (...uses) => ({ has: () => false, ...indexes?.request(...uses), isSmall: false }) }
}

type Has = KnownFields['has']
const byN = { path: ['n'], direction: 'desc' } as const
const served: readonly (readonly [string, Where, readonly Sort[]])[] = [
  ['a sort', { all: [] }, [byN]],
  ['a comparison', where('n', 'gte', '990'), []],
  ['two comparisons', and(where('n', 'gte', '5'), where('n', 'lt', '9')), []],
  ['a comparison and a sort of one field', where('n', 'lt', '500'), [byN]],
  ['contains', where('title', 'contains', 'number 29'), []],
  ['startswith', where('title', 'startswith', 'Post number 29'), []],
]

onEachEngine(() => {
  describe('A field index', () => {
    test('changes nothing about what a filter finds', async () => {
      const values = [...inOrder, 'tea', 'TEA', 'green Tea', ['tea', 'x'], ['say "tea"'], '100%', 'x'.repeat(700)]
      const posts = await aCollection(
        'posts',
        values.map((field) => ({ field })),
      )
      const indexes = await indexed(posts, 'field')
      const operators: Operator[] = ['gt', 'gte', 'lt', 'lte', 'contains', 'icontains', 'startswith', 'endswith']

      for (const operator of operators) {
        const alone = ['', 'a', 'tea', 'y "t', 'x'.repeat(650), '2', '-1', '%', '\\'].map((value) =>
          where('field', operator, value),
        )
        const combined = ['tea', '2'].flatMap((value) => [
          and(where('field', operator, value), where('field', 'lt', '9')),
          and(where('field', operator, value), where('field', 'gt', 'b')),
        ])
        for (const filter of [...alone, ...combined]) {
          const query = { where: filter, limit: 100 }
          const about = JSON.stringify(filter)
          const expected = await list(posts, query)
          expect(await list(posts, query, indexes), about).toEqual(expected)
          expect(await list(posts, query, amongMany(indexes)), `${about}, among many`).toEqual(expected)
        }
      }
    })

    test('changes nothing about the order', async () => {
      const posts = await aCollection(
        'posts',
        [...inOrder, ...inOrder, 'tea', long, [long]].map((field) => ({ field })),
      )
      const indexes = amongMany(await indexed(posts, 'field'))

      for (const direction of ['asc', 'desc'] as const) {
        for (const filter of [{ all: [] }, where('field', 'gte', ''), where('field', 'lt', '5')]) {
          const query = { where: filter, sort: [{ path: ['field'] as const, direction }], limit: 30, offset: 4 }
          expect(await list(posts, query, indexes)).toEqual(await list(posts, query))
        }
      }
    })

    test('serves any values by a plan made once', async () => {
      const posts = await aCollection(
        'posts',
        Array.from({ length: 3_000 }, (_, n) => ({ n: (n * 7) % 1_000, title: `Post number ${n}` })),
      )
      const [onN, onTitle] = [await indexed(posts, 'n'), await indexed(posts, 'title')]
      const has: Has = (...field) => [onN, onTitle].some((kept) => kept?.request(posts, []).has(...field))
      const indexes: Indexes = { request: () => ({ isSmall: false, documents: 3_000, has }) }
      const place = { project: 'p', collection: { id: posts, name: 'posts' }, mayReadAll: true, roles: [] }
      const remembered = { get: () => ({ total: 30, seq: 1 }), keep: () => undefined }

      for (const [what, filter, sort] of served) {
        const query = { where: filter, sort, limit: 7, offset: 3, count: true, populate: [], select: [] }
        for (const totals of filter.all.length > 0 ? [undefined, remembered] : [undefined]) {
          const statement = buildPage(planList({ ...place, indexes, totals }, query))
          const plan = await explainedForAny(statement)

          expect(statement.planned, what).toBe('once, of many')
          expect(plan.match(/Index (Only )?Scan (using|on) field_/g) ?? [], what).not.toHaveLength(0)
          expect(plan, what).not.toMatch(/Seq Scan on documents /)
        }
      }
    })

    test('over points in time serves comparisons and sorts of them, and changes nothing about what is found', async () => {
      const zones = ['Z', '+08:00', '-03:30']
      const due = (n: number) =>
        n % 50 === 0
          ? [null, 'soon', n, [`2026-01-01`]][(n / 50) % 4]
          : `2026-01-01T0${n % 9}:00:${10 + (n % 50)}.${n}${zones[n % 3]}`
      const posts = await aCollection(
        'posts',
        Array.from({ length: 600 }, (_, n) => (n % 70 === 0 ? { n } : { n, due: due(n) })),
      )
      const path = ['due'] as const
      const onDue = await withIndexes(posts, [
        { path, kind: 'time asc' },
        { path, kind: 'time desc' },
      ])
      const indexes: Indexes = {
        request: (...uses) => ({ has: () => false, ...onDue?.request(...uses), isSmall: false }),
      }
      const place = { project: 'p', collection: { id: posts, name: 'posts' }, mayReadAll: true, roles: [], indexes }
      const test = (operator: 'eq' | 'gte' | 'lt', value: string) => ({
        all: [{ any: [{ path, operator, value, isTime: true } as const] }],
      })
      const range = and(test('gte', '2026-01-01T03:00+08:00'), test('lt', '2026-01-01T00:00:30Z'))

      for (const filter of [{ all: [] }, range, test('eq', '2025-12-31T17:00:11.1+00:00'), test('lt', '2026-01-01')]) {
        for (const direction of ['asc', 'desc', undefined] as const) {
          const sort = direction ? ([{ path, direction, isTime: true }] as const) : []
          if (!direction && filter.all.length === 0) continue
          const query = { where: filter, sort, limit: 30, offset: 575 * Number(filter.all.length === 0) }
          expect(await list(posts, query, indexes)).toEqual(await list(posts, query))

          const statement = buildPage(planList(place, { ...query, count: true, populate: [], select: [] }))
          expect(statement.planned).toBe('once, of many')
          expect(await explainedForAny(statement)).toMatch(/Index (Only )?Scan (using|on) field_/)
        }
      }
    })

    test('of which there are many for a list is chosen by the values each time', async () => {
      const indexes: Indexes = { request: () => ({ isSmall: false, documents: 30_000, has: () => true }) }
      const place = { project: 'p', collection: { id: idOf(1), name: 'posts' }, mayReadAll: true, roles: [], indexes }
      const asked = { limit: 7, offset: 0, count: true, populate: [], select: [] }

      for (const [filter, path] of [
        [and(where('n', 'gt', '5'), where('title', 'contains', 'a')), undefined],
        [and(where('n', 'gt', '5'), where('m', 'lt', '7')), undefined],
        [and(where('n', 'gt', '5'), where('title', 'eq', 'a')), undefined],
        [where('n', 'gt', '5'), 'title'],
        [where('title', 'contains', 'a'), 'title'],
        [where('createdAt', 'gt', '2026-01-01'), undefined],
        [{ all: [] }, 'createdAt'],
      ] as const) {
        const sort = path === undefined ? [] : ([{ path: [path], direction: 'asc' }] as const)
        expect(buildPage(planList(place, { ...asked, where: filter, sort })).planned).toBe('each time')
      }
    })

    test('is not needed for many values, which are looked up by a plan made once', async () => {
      const posts = await aCollection(
        'posts',
        Array.from({ length: 3_000 }, (_, n) => ({ key: `k${n}` })),
      )
      const indexes: Indexes = { request: () => ({ isSmall: false, documents: 3_000, has: () => false }) }
      const place = { project: 'p', collection: { id: posts, name: 'posts' }, mayReadAll: true, roles: [], indexes }
      const values = Array.from({ length: 50 }, (_, n) => `k${n * 7}`)
      const filter: Where = { all: [{ any: [{ path: ['key'], operator: 'in', values }] }] }
      const query = { where: filter, sort: [], limit: 100, offset: 0, count: false, populate: [], select: [] }

      expect(buildPage(planList(place, query)).planned).toBe('once')
      expect((await list(posts, query, indexes)).found).toHaveLength(50)
    })

    test('is not needed for many values, even if the table holds only a few large documents', async () => {
      await aCollection(
        'pictures',
        Array.from({ length: 30 }, (_, n) => ({ n, text: 'x'.repeat(200_000) })),
      )
      const posts = await aCollection('posts', [{ key: 'k7' }], 30)
      await database().query(patientSql('analyze svc.documents'))
      const place = { project: 'p', collection: { id: posts, name: 'posts' }, mayReadAll: true, roles: [] }
      const values = Array.from({ length: 50 }, (_, n) => `k${n}`)
      const filter: Where = { all: [{ any: [{ path: ['key'], operator: 'in', values }] }] }
      const query = { where: filter, sort: [], limit: 100, offset: 0, count: true, populate: [], select: [] }

      const statement = buildPage(planList(place, query))

      expect((await list(posts, query)).found).toEqual([{ key: 'k7' }])
      // The ids that were found are compared with the ids of all, without their data. Each value would read all data.
      expect(await rowsRead(database(), 'documents', [statement])).toBeLessThan(100)
    })

    test('over what a filter compares and what sorts changes nothing about what is found', async () => {
      const values = [
        ...inOrder,
        'tea',
        ['tea', 'x'],
        ['tea', ['x']],
        '5',
        5,
        5.0,
        ['5'],
        [5, 'tea'],
        'true',
        'null',
        long,
        [long],
      ]
      const others = ['tea', ...values.filter((_, n) => n % 5 === 0)]
      const posts = await aCollection(
        'posts',
        values.flatMap((field) => others.map((other, n) => ({ field, other, n: n % 7 === 6 ? undefined : n % 7 }))),
      )
      const sorts = [undefined, 'id', 'createdAt', 'n', 'other', 'field'].flatMap((name) =>
        name === undefined
          ? [undefined]
          : (['asc', 'desc'] as const).map((direction) => ({ path: [name] as const, direction })),
      )
      const indexes = await withIndexes(
        posts,
        ([[['field']], [['field'], ['other']]] as const).flatMap((equal) => [
          { path: ['id'] as const, kind: 'desc' as const, equal },
          ...['createdAt', 'n', 'other', 'field'].flatMap((name) =>
            (['asc', 'desc'] as const).map((kind) => ({ path: [name] as const, kind, equal })),
          ),
        ]),
      )

      const isTea = where('other', 'eq', 'tea')
      const filters = [
        ...['', 'A', 'tea', '5', '2', '1e21', '-1.5', 'true', 'null', 'a', long, 'nothing', '茶'].map((value) =>
          where('field', 'eq', value),
        ),
        ...['tea', '5', long].map((value) => and(isTea, where('field', 'eq', value))),
      ]
      for (const filter of filters) {
        for (const sort of sorts) {
          const query = { where: filter, sort: sort ? [sort] : [], limit: 5, offset: sort ? 2 : 0 }
          const about = `${JSON.stringify(filter)} by ${sort?.path} ${sort?.direction}`
          expect(await list(posts, query, indexes), about).toEqual(await list(posts, query))
        }
      }
    })

    test('over what a filter compares and what sorts has the page in its place', async () => {
      const posts = await aCollection(
        'posts',
        Array.from({ length: 3_000 }, (_, n) => ({ kind: `kind ${n % 30}`, n })),
      )
      const indexes = await withIndexes(posts, [{ path: ['n'], kind: 'desc', equal: [['kind']] }])
      const plan = planList(
        { project: 'p', collection: { id: posts, name: 'posts' }, mayReadAll: true, roles: [], indexes },
        {
          where: where('kind', 'eq', 'kind 7'),
          sort: [{ path: ['n'], direction: 'desc' }],
          limit: 20,
          offset: 0,
          count: false,
          populate: [],
          select: [],
        },
      )

      expect(await explained(buildPage(plan))).toMatch(/Limit[^\n]*\n *-> +Index Scan using field_/)
    })

    test.each([1, 2])('of %i compared fields serves any values by a plan made once', async (fields) => {
      const posts = await aCollection(
        'posts',
        // As unevenly spread as an open order among those that are done.
        Array.from({ length: 3_000 }, (_, n) => ({ kind: n % 1_000 === 7 ? 'open' : 'done', other: 'x', n })),
      )
      const equal = ([['kind'], ['other']] as const).slice(0, fields)
      const kept = await withIndexes(posts, [{ path: ['n'], kind: 'desc', equal }])
      const filters = [where('kind', 'eq', 'open'), where('other', 'eq', 'x')].slice(0, fields)
      const sort = [{ path: ['n'], direction: 'desc' }] as const
      const query = { where: filters.reduce(and), sort, limit: 7, offset: 3, count: true, populate: [], select: [] }

      for (const isSmall of [true, false]) {
        const indexes: Indexes = { request: (...uses) => ({ ...kept?.request(...uses), isSmall, has: () => true }) }
        const place = { project: 'p', collection: { id: posts, name: 'posts' }, mayReadAll: true, roles: [], indexes }
        const statement = buildPage(planList(place, query))
        const scans = (await explainedForAny(statement)).match(/(Index|Seq|Bitmap Heap) Scan.* on documents d_.*/g)

        expect(statement.planned).toBe('once, of many')
        // The page and its total, each in order and beside it.
        expect(scans).toHaveLength(4)
        for (const scan of scans ?? []) expect(scan).toMatch(/Index Scan using field_/)
      }
    })

    test('over fields of any name has the page in its place', async () => {
      const posts = await aCollection(
        'posts',
        Array.from({ length: 200 }, (_, n) => ({ ...Object.fromEntries(names.map((name) => [name, n % 10])), n })),
      )

      for (const name of names) {
        const indexes = await withIndexes(posts, [
          { path: ['n'], kind: 'desc', equal: [[name]] },
          { path: ['n'], kind: 'desc' },
          { path: [name], kind: 'asc' },
        ])
        const isSeven: Where = { all: [{ any: [{ path: [name], operator: 'eq', value: '7' }] }] }
        const byName = [{ path: [name] as const, direction: 'asc' as const }]
        const place = { project: 'p', collection: { id: posts, name: 'posts' }, mayReadAll: true, roles: [], indexes }
        const query = { limit: 3, offset: 0, count: false, populate: [], select: [] }
        const plan = planList(place, { ...query, where: isSeven, sort: [byN] })

        expect(plan.strategy).toBe('read index')
        expect(await explainedForAny(buildPage(plan)), name).toMatch(/Limit[^\n]*\n *-> +Index Scan using field_/)
        const sevens = await list(posts, { where: isSeven, sort: [byN], limit: 3 }, indexes)
        expect([sevens.found.map(n), sevens.total]).toEqual([[197, 187, 177], 20])
        const many = { ...place, indexes: amongMany(indexes) }
        const sorted = planList(many, { ...query, where: { all: [] }, sort: byName })
        expect(await explained(buildPage(sorted)), name).toMatch(/Index Scan using field_/)
        expect((await list(posts, { sort: [byN], limit: 2 }, many.indexes)).found.map(n)).toEqual([199, 198])
        const first = await list(posts, { sort: byName, limit: 2 }, many.indexes)
        expect(first.found.map((fields) => fields[name])).toEqual([0, 0])
      }
    })
  })
})

test('A value written into a statement stays what it is', () => {
  expect(inlined(sql`d.a = ${"'\\"} and d.b = ${['x', "y'"]}`)).toBe(`a =  E'''\\\\' and b = array[ E'x',  E'y''']`)
})
