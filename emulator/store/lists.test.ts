import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Fields } from '../../client/model/document.js'
import type { Json } from '../../client/model/json.js'
import type { ListQuery } from '../../client/model/page.js'
import { parsePath } from '../../client/model/path.js'
import type { Operator, Where } from '../../client/model/where.js'
import { openIndexKeeper } from '../core/index-keeper.js'
import { type Database, sql } from '../database/database.js'
import { migrate } from '../database/migrations.js'
import { openPglite } from '../database/pglite.js'
import { inlined, makeFieldIndex } from './field-indexes.js'
import { selectPage } from './lists.js'

let db: Database
beforeAll(async () => {
  db = await openPglite()
  await migrate(db)
  await db.query(sql`insert into projects (id, name, settings, created_at) values ('p', 'P', '{}', now())`)
})
afterAll(() => db.close())
beforeEach(async () => {
  await db.batch([sql`delete from documents`, sql`delete from document_counts`, sql`delete from collections`])
})

describe('A page', () => {
  test('is the newest documents first, with the number of all', async () => {
    const posts = await aCollection('posts', [{ n: 1 }, { n: 2 }, { n: 3 }])

    expect(await list(posts, { limit: 2 })).toEqual({ found: [{ n: 3 }, { n: 2 }], total: 3 })
    expect(await list(posts, { limit: 2, offset: 2 })).toEqual({ found: [{ n: 1 }], total: 3 })
  })

  test.each<[string, Partial<ListQuery>]>([
    ['plain', {}],
    ['sorted', { sort: { path: ['n'], direction: 'asc' } }],
    ['filtered', { where: where('n', 'gt', '0') }],
    ['filtered and sorted', { where: where('n', 'gt', '0'), sort: { path: ['n'], direction: 'desc' } }],
  ])('that is %s has a total when it is empty, beyond the end, or not counted', async (_kind, query) => {
    const posts = await aCollection('posts', [{ n: 1 }, { n: 2 }, { n: 3 }])

    expect(await list(posts, { ...query, limit: 0 })).toEqual({ found: [], total: 3 })
    expect(await list(posts, { ...query, offset: 2_000_000_000_000 })).toEqual({ found: [], total: 3 })
    expect(await list(posts, { ...query, limit: 0, count: false })).toEqual({ found: [], total: null })
    expect(await list(posts, { ...query, offset: 2_000_000_000_000, count: false })).toEqual({ found: [], total: null })
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

  test('after an id continues there', async () => {
    const posts = await aCollection(
      'posts',
      Array.from({ length: 30 }, (_, n) => ({ n, isEven: n % 2 === 0 })),
    )
    const after: Where = where('id', 'gt', idOf(9))
    const inOrder = { sort: { path: ['id'] as const, direction: 'asc' as const }, limit: 3, count: false }

    expect((await list(posts, { ...inOrder, where: after })).found.map(n)).toEqual([10, 11, 12])
    expect((await list(posts, { ...inOrder, where: and(after, where('isEven', 'eq', 'true')) })).found.map(n)).toEqual([
      10, 12, 14,
    ])
    expect((await list(posts, { ...inOrder, where: where('id', 'gt', 'zzz') })).found).toEqual([])
  })
})

// From the least to the greatest. Contract 4.1.
const inOrder: readonly (Json | undefined)[] = [
  null,
  '',
  'A',
  'B',
  'a',
  'é',
  '茶',
  '\uffff',
  '🍵',
  -1.5,
  0,
  2,
  10,
  1e21,
  false,
  true,
  [],
  [null],
  ['a'],
  [1],
  [[]],
  [1, 1],
  [1, 2],
  {},
  { a: 1 },
  { b: 0 },
  { a: 1, b: 1 },
  undefined,
] // prettier-ignore

describe.each([['without indexes'], ['with indexes']])('Sorted %s', (how) => {
  test('types, texts and numbers have one order, and missing fields are last in both directions', async () => {
    const shuffled = inOrder.map((_, at) => inOrder[(at * 11) % inOrder.length])
    const posts = await aCollection(
      'posts',
      shuffled.map((field) => ({ field })),
    )
    const indexes = how === 'with indexes' ? await indexed(posts, 'field') : undefined
    const present = inOrder.slice(0, -1)

    const ascending = await list(posts, { sort: { path: ['field'], direction: 'asc' }, limit: 100 }, indexes)
    const descending = await list(posts, { sort: { path: ['field'], direction: 'desc' }, limit: 100 }, indexes)

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
      (await list(posts, { sort: { path: ['third'], direction }, limit: 4, offset }, indexes)).found.map(n)

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

    const { found } = await list(posts, { sort: { path: ['field'], direction: 'asc' } }, indexes)
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

  test('takes any field name for what it is', async () => {
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
    const posts = await aCollection('posts', [Object.fromEntries(names.map((name, at) => [name, at]))])

    for (const name of names) {
      await makeFieldIndex(db, { collection: posts, path: [name], kind: 'asc' }, new Date().toISOString())
      const found = await explained(sql`
        select d.id from documents d
        where d.collection_id = ${posts}::uuid and coalesce(octet_length((d.data #>> ${[name]}::text[])) <= 600 and (d.data #>> ${[name]}::text[]) <> '[]', true)
        order by (d.data #> ${[name]}::text[]) asc nulls last, d.id limit 1`)
      expect(found, name).toMatch(/Index Scan using field_/)
      await db.query(sql`delete from field_indexes`)
    }
    expect(inlined(sql`d.a = ${"'\\"} and d.b = ${['x', "y'"]}`)).toBe(`a =  E'''\\\\' and b = array[ E'x',  E'y''']`)
  })
})

describe('A filter on a populated field', () => {
  test('reaches the linked document, several links deep, and any of an array of them', async () => {
    const companies = await aCollection('companies', [{ city: 'Graz' }, { city: 'Wien' }], 100)
    const authors = await aCollection(
      'authors',
      [
        { name: 'Ann', company: idOf(100) },
        { name: 'Bob', company: idOf(101) },
      ],
      200,
    )
    const posts = await aCollection('posts', [
      { n: 0, author: idOf(200) },
      { n: 1, author: idOf(201) },
      { n: 2, author: [idOf(999), idOf(201), idOf(200)] },
      { n: 3, author: { name: 'Ann' } },
      { n: 4, author: 'Ann' },
      { n: 5 },
    ])
    const found = async (name: string, operator: Operator, value: string, ...populate: string[]) =>
      (await list(posts, { where: where(name, operator, value), populate: populate.map(parsePath) })).found
        .map(n)
        .toSorted()

    expect(companies).not.toBe(authors)
    expect(await found('author.name', 'eq', 'Ann', 'author')).toEqual([0, 2, 3])
    expect(await found('author.name', 'ne', 'Ann', 'author')).toEqual([1, 2, 4, 5])
    expect(await found('author.name', 'eq', 'Ann')).toEqual([3])
    expect(await found('author', 'eq', idOf(201), 'author')).toEqual([1, 2])
    expect(await found('author.id', 'eq', idOf(201), 'author')).toEqual([1, 2])
    expect(await found('author.company.city', 'eq', 'Wien', 'author.company')).toEqual([1, 2])
    expect(await found('author.company.city', 'eq', 'Wien', 'author')).toEqual([])
    expect(await found('author.company', 'eq', idOf(101), 'author')).toEqual([1, 2])
    expect(await found('author.name', 'isnull', 'yes', 'author')).toEqual([4, 5])
  })

  test('sees nothing in a collection that the caller may not read, or of another project', async () => {
    await aCollection('secrets', [{ word: 'tea' }], 100, { read: ['admin'] })
    const posts = await aCollection('posts', [{ n: 0, secret: idOf(100) }])
    const query = { where: where('secret.word', 'eq', 'tea'), populate: [['secret']] as const }

    expect((await list(posts, query)).total).toBe(0)
    expect((await list(posts, query, undefined, { mayReadAll: true })).total).toBe(1)
    expect((await list(posts, query, undefined, { mayReadAll: true, project: 'another' })).total).toBe(0)
  })
})

type Indexes = Parameters<typeof selectPage>[1]['indexes']

async function list(
  collection: string,
  query: Partial<ListQuery>,
  indexes?: Indexes,
  more: { mayReadAll?: boolean; project?: string } = {},
) {
  const page = await selectPage(
    db,
    { project: 'p', collection: { id: collection, name: 'c' }, mayReadAll: false, indexes, ...more },
    { where: { all: [] }, sort: undefined, limit: 20, offset: 0, count: true, populate: [], ...query },
  )
  return { found: page.items.map(({ data }) => JSON.parse(JSON.stringify(data)) as Fields), total: page.total }
}

/** The keeper of a collection in which this field has every index. */
async function indexed(collection: string, field: string): Promise<Indexes> {
  const keeper = openIndexKeeper(db, {
    now: () => new Date(),
    report: (error) => expect.fail(String(error)),
    fromDocuments: 0,
    fromTimes: 1,
  })
  const uses = (['asc', 'desc', 'text'] as const).map((kind) => ({ path: [field] as const, kind }))
  keeper.asked(collection, uses)
  await keeper.settled()
  keeper.asked(collection, uses)
  await keeper.settled()
  keeper.close()
  expect(uses.filter(({ path, kind }) => keeper.asked(collection, []).has(path, kind))).toEqual(uses)
  return keeper
}

async function aCollection(
  name: string,
  data: readonly Fields[],
  firstId = 0,
  permissions: Json = {},
): Promise<string> {
  const [{ id } = { id: '' }] = await db.query<{ id: string }>(sql`
    insert into collections (id, project_id, name, schema, permissions, created_at, updated_at)
    values (gen_random_uuid(), 'p', ${name}, '{}', ${JSON.stringify(permissions)}::jsonb, now(), now())
    returning id`)
  await db.query(sql`insert into document_counts (collection_id, documents) values (${id}::uuid, 0)`)
  await add(id, data, firstId)
  return id
}

async function add(collection: string, data: readonly Fields[], firstId: number) {
  await db.batch([
    sql`
      insert into documents (id, collection_id, data, created_at, updated_at)
      select id, ${collection}::uuid, data, now(), now()
      from unnest(${data.map((_, at) => idOf(firstId + at))}::uuid[], ${data.map((fields) => JSON.stringify(fields))}::jsonb[]) as new (id, data)`,
    sql`update document_counts set documents = documents + ${data.length}::int where collection_id = ${collection}::uuid`,
  ])
}

async function explained(statement: ReturnType<typeof sql>): Promise<string> {
  await db.query(sql`analyze documents`)
  const rows = await db.query<{ 'QUERY PLAN': string }>({
    text: `explain ${statement.text}`,
    values: statement.values,
    planned: 'each time',
  })
  return rows.map((row) => row['QUERY PLAN']).join('\n')
}

function idOf(at: number): string {
  return `01900000-0000-7000-8000-${String(at).padStart(12, '0')}`
}

function where(name: string, operator: Operator, value: string): Where {
  const path = parsePath(name)
  if (operator === 'isnull') return { all: [{ any: [{ path, operator, isNull: true }] }] }
  if (operator === 'in' || operator === 'notin') return { all: [{ any: [{ path, operator, values: [value] }] }] }
  return { all: [{ any: [{ path, operator, value }] }] }
}

function and(one: Where, other: Where): Where {
  return { all: [...one.all, ...other.all] }
}

function n(fields: Fields): Json | undefined {
  return fields.n
}
