import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Fields } from '../../../client/protocol/model/document.js'
import type { Json } from '../../../client/protocol/model/json.js'
import { compileOrder } from '../../../client/protocol/model/order.js'
import type { Sort } from '../../../client/protocol/model/page.js'
import type { Path } from '../../../client/protocol/model/path.js'
import { markSort } from '../../../client/protocol/model/times.js'
import { type Database, sql } from '../../../emulator/database/port.js'
import { buildOrdering } from '../../../emulator/store/lists/order.js'
import { engines, type OpenedEngine, openEngine } from '../../fixtures/databases/engines.js'

// A list has the same order in SQL, and in JavaScript in an app.

const values: readonly Json[] = [
  ...[null, true, false, '', 'a', 'B', 'b', 'é', 'ß', '\uffff', '🍵', '5', '10', 'null'],
  ...[0, -0, 1, -1, 10, 9, 0.1, 1e21, -1e21, 5e-324, Number.MAX_VALUE, -Number.MAX_VALUE],
  ...[[], [null], [''], ['a'], ['b'], [1], [[]], [[1]], [[1, 2]], [{}], [1, 2], [1, 'a'], ['a', 1], [null, null]],
  ...[{}, { a: 1 }, { a: 2 }, { b: 1 }, { aa: 1 }, { é: 1 }, { zz: 1 }, { '🍵': 1 }, { '\uffff': 1 }],
  ...[{ a: 1, b: 1 }, { a: 1, bb: 0 }, { b: 1, aa: 0 }, { a: [] }, { a: {} }, { a: null }, { a: { b: 1 } }],
] // prettier-ignore
const times: readonly Json[] = [
  '2026',
  '2026-01-01',
  '2026-01-01T00:00:00+01:00',
  '2026-02',
  '2026-02-30',
  'tea',
  5,
  null,
]
const directions = ['asc', 'desc'] as const

const someName = fc.constantFrom('a', 'b', 'aa', '__proto__')
const someValue = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom(...values),
    fc.string({ unit: fc.constantFrom(...'aBé🍵\uffff'), maxLength: 3 }),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(someName, tie('value'), { maxKeys: 3 }),
  ),
})).value
const somePath = fc.constantFrom<Path>(
  ['a'],
  ['b'],
  ['aa'],
  ['a', '0'],
  ['a', 'b'],
  ['id'],
  ['createdAt'],
  ['updatedAt'],
)
const someSort = fc.array(fc.record<Sort>({ path: somePath, direction: fc.constantFrom(...directions) }), {
  maxLength: 3,
})

describe.each(engines)('On %s', (engine) => {
  let opened: OpenedEngine
  let db: Database
  beforeAll(async () => {
    opened = await openEngine(engine)
    db = opened.db
  })
  afterAll(() => opened.stop())

  test.each(directions)('contract 4.1 values of all types have the same order, %s', async (direction) => {
    const documents = await store([{}, ...[...values, ...values].map((field) => ({ field, tie: 1 })), {}])

    for (const path of [['field'], ['field', '0'], ['field', 'a'], ['createdAt'], ['updatedAt'], ['id']] as const) {
      const sort = [{ path, direction }]
      await expectSame(documents, sort)
      await expectSame(documents, [{ path: ['tie'], direction: 'desc' }, ...sort])
      await expectSame(documents, [...sort, { path: ['id'], direction: 'desc' }, { path: ['tie'], direction }])
    }
  })

  test.each(directions)('contract 4.1 points in time have the same order, %s', async (direction) => {
    const documents = await store([{}, ...times.map((field) => ({ field }))])
    const sort = markSort([{ path: ['field'], direction }], { field: { type: 'datetime' } })

    await expectSame(documents, sort)
    await expectSame(documents, [...sort, { path: ['updatedAt'], direction }])
  })

  test('any sort has the same order', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.dictionary(someName, someValue, { maxKeys: 3 }), { minLength: 2, maxLength: 20 }),
        fc.array(someSort, { minLength: 1, maxLength: 4 }),
        async (data, sorts) => {
          const documents = await store(data)
          for (const sort of sorts) await expectSame(documents, sort)
        },
      ),
      { numRuns: 100 },
    )
  })

  /** Puts these documents, and no others, in the database. Later documents are newer, but not changed later. */
  async function store(data: readonly Fields[]) {
    const documents = data.map((fields, at) => ({
      id: `01900000-0000-7000-8000-${String(at).padStart(12, '0')}`,
      data: JSON.parse(JSON.stringify(fields)) as Fields,
      createdAt: new Date(Date.UTC(2026, 0, 2, 3, at >> 1)).toISOString(),
      updatedAt: new Date(Date.UTC(2027, 0, 1 + ((at * 7) % 5))).toISOString(),
    }))
    await db.query(sql`delete from documents`)
    await db.query(sql`
      insert into documents (id, collection_id, data, created_at, updated_at)
      select id, '01900000-0000-7000-8000-000000000000'::uuid, data, created_at, updated_at
      from unnest(
        ${documents.map(({ id }) => id)}::uuid[],
        ${documents.map((document) => JSON.stringify(document.data))}::jsonb[],
        ${documents.map(({ createdAt }) => createdAt)}::timestamptz[],
        ${documents.map(({ updatedAt }) => updatedAt)}::timestamptz[]
      ) as new (id, data, created_at, updated_at)`)
    return documents
  }

  async function expectSame(documents: Awaited<ReturnType<typeof store>>, sort: readonly Sort[]): Promise<void> {
    const { order, select } = buildOrdering(sort)
    const rows = await db.query<{ id: string }>(sql`
      select id from (${select(sql`from documents d`)}) as listed order by ${order}`)

    const sorted = [...documents].sort(compileOrder(sort))
    expect(
      sorted.map(({ id, data }) => [id, data]),
      JSON.stringify(sort),
    ).toEqual(rows.map(({ id }) => [id, documents.find((document) => document.id === id)?.data]))
  }
})
