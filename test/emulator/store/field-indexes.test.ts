import { describe, expect, test } from 'vitest'
import type { Operator, Where } from '../../../client/protocol/model/where.js'
import { sql } from '../../../emulator/database/port.js'
import { fieldValue, inCollection, isRegular } from '../../../emulator/store/lists/fields.js'
import { inlined, makeFieldIndex } from '../../../emulator/store/lists/indexes.js'
import { pageOf } from '../../../emulator/store/lists/page.js'
import { planList } from '../../../emulator/store/lists/plan.js'
import {
  aCollection,
  and,
  database,
  explained,
  explainedForAny,
  type Indexes,
  indexed,
  inOrder,
  list,
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
        for (const value of ['', 'a', 'tea', 'y "t', 'x'.repeat(650), '2', '-1', '%', '\\']) {
          const query = { where: where('field', operator, value), limit: 100 }
          expect(await list(posts, query, indexes), `${operator} ${value}`).toEqual(await list(posts, query))
        }
      }
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
      const posts = await aCollection(
        'posts',
        values.flatMap((field) => values.map((other, n) => ({ field, other, n: n % 7 === 6 ? undefined : n % 7 }))),
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

      for (const value of ['', 'A', 'tea', '5', '2', '1e21', '-1.5', 'true', 'null', 'a', long, 'nothing', '茶']) {
        for (const filter of [
          where('field', 'eq', value),
          and(where('other', 'eq', 'tea'), where('field', 'eq', value)),
        ]) {
          for (const sort of sorts) {
            const query = { where: filter, sort, limit: 30, offset: sort === undefined ? 0 : 5 }
            const about = `${value} by ${sort?.path} ${sort?.direction}, ${filter.all.length} fields`
            expect(await list(posts, query, indexes), about).toEqual(await list(posts, query))
          }
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
          sort: { path: ['n'], direction: 'desc' },
          limit: 20,
          offset: 0,
          count: false,
          populate: [],
        },
      )

      expect(await explained(pageOf(plan))).toMatch(/Limit[^\n]*\n *-> +Index Scan using field_/)
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
      const sort = { path: ['n'], direction: 'desc' } as const
      const query = { where: filters.reduce(and), sort, limit: 7, offset: 3, count: true, populate: [] }

      for (const isSmall of [true, false]) {
        const indexes: Indexes = { asked: (...uses) => ({ ...kept?.asked(...uses), isSmall, has: () => true }) }
        const place = { project: 'p', collection: { id: posts, name: 'posts' }, mayReadAll: true, roles: [], indexes }
        const statement = pageOf(planList(place, query))
        const scans = (await explainedForAny(statement)).match(/(Index|Seq|Bitmap Heap) Scan.* on documents d_.*/g)

        expect(statement.planned).toBe('once, of many')
        // The page and its total, each in order and beside it.
        expect(scans).toHaveLength(4)
        for (const scan of scans ?? []) expect(scan).toMatch(/Index Scan using field_/)
      }
    })

    test('over fields of any name has the page in its place', async () => {
      for (const name of names) {
        const posts = await aCollection(
          name,
          Array.from({ length: 500 }, (_, n) => ({ [name]: n % 10, n })),
        )
        const indexes = await withIndexes(posts, [{ path: ['n'], kind: 'desc', equal: [[name]] }])
        const isSeven: Where = { all: [{ any: [{ path: [name], operator: 'eq', value: '7' }] }] }
        const asked = { where: isSeven, sort: { path: ['n'] as const, direction: 'desc' as const } }
        const place = { project: 'p', collection: { id: posts, name: 'posts' }, mayReadAll: true, roles: [], indexes }
        const plan = planList(place, { limit: 3, offset: 0, count: false, populate: [], ...asked })

        expect(plan.strategy).toBe('read index')
        expect(await explainedForAny(pageOf(plan)), name).toMatch(/Limit[^\n]*\n *-> +Index Scan using field_/)
        expect(await list(posts, { ...asked, limit: 3 }, indexes)).toEqual({
          found: [497, 487, 477].map((n) => ({ [name]: 7, n })),
          total: 50,
        })
        await database().batch([sql`delete from documents`, sql`delete from collections`])
      }
    })

    test('takes any field name for what it is', async () => {
      const documents = Array.from({ length: 500 }, (_, n) => Object.fromEntries(names.map((name) => [name, n])))
      const posts = await aCollection('posts', documents)

      for (const name of names) {
        await makeFieldIndex(database(), { collection: posts, path: [name], kind: 'asc' }, new Date().toISOString())
        const found = await explained(sql`
        select d.id from documents d
        where ${inCollection(posts)} and ${isRegular([name])}
        order by ${fieldValue([name])} asc nulls last, d.id limit 1`)
        expect(found, name).toMatch(/Index Scan using field_/)
        await database().query(sql`delete from field_indexes`)
      }
      expect(inlined(sql`d.a = ${"'\\"} and d.b = ${['x', "y'"]}`)).toBe(`a =  E'''\\\\' and b = array[ E'x',  E'y''']`)
    })
  })
})
