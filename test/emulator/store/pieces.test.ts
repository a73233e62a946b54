/** Lists of large collections, read in several statements. Decision 69. */
import { expect, test } from 'vitest'
import type { ListQuery, Sort } from '../../../client/protocol/model/page.js'
import type { Database } from '../../../emulator/database/port.js'
import { sql } from '../../../emulator/database/port.js'
import { selectAggregate, selectGroups } from '../../../emulator/store/lists/aggregates.js'
import { selectPage } from '../../../emulator/store/lists/documents.js'
import type { FieldIndexes } from '../../../emulator/store/lists/indexes.js'
import { isInPieces, selectInPieces } from '../../../emulator/store/lists/pieces.js'
import { planList } from '../../../emulator/store/lists/plan.js'
import { openTotals } from '../../../emulator/store/lists/totals.js'
import { watch } from '../../fixtures/databases/rows-read.js'
import {
  aCollection,
  add,
  aQuery,
  aTarget,
  database,
  inOrder,
  onEachEngine,
  where,
} from '../../fixtures/databases/stored-lists.js'

const megabyte = 1024 * 1024
const sizes = (bytes: number): FieldIndexes => ({
  request: () => ({ isSmall: false, documents: 100_000, bytes, has: (path) => path[0] === 'indexed' }),
})
const large = sizes(54 * megabyte)
/** As a collection is before its first list. */
const uncounted: FieldIndexes = { request: () => ({ isSmall: false, has: () => false }) }
const contains = (part: string) => where('text', 'contains', part)
const sortBy = (name: string, direction: Sort['direction']): Sort => ({ path: [name], direction })

onEachEngine(() => {
  test('pieces give the page and the total that one statement gives', async () => {
    const values = [...inOrder, ...inOrder]
    const posts = await aCollection(
      'posts',
      values.map((value, n) => ({ value, n, text: `${n % 3} ${'x'.repeat(500)}` })),
    )
    await hasSeq()
    for (const filter of [{ all: [] }, contains('1 x'), contains('x'), contains('none')]) {
      for (const sort of [
        [],
        [sortBy('id', 'asc')],
        [sortBy('value', 'desc')],
        [sortBy('text', 'asc'), sortBy('n', 'desc')],
      ]) {
        for (const page of [{ limit: 5 }, { limit: 7, offset: 4 }, { limit: 100, count: false }] as const) {
          const query = aQuery({ where: filter, sort, count: true, ...page })
          const expected = await selectPage(database(), aTarget(posts), query)
          const { watched, sent } = watch(database())

          const rows = await selectInPieces<Row>(watched, planList(aTarget(posts), query), 2_048)

          expect(rows?.flatMap(({ id }) => id ?? [])).toEqual(expected.items.map(({ id }) => id))
          expect(rows?.[0]?.total ?? null).toBe(expected.total)
          expect(sent.length).toBeGreaterThan(query.count ? 10 : 4)
        }
      }
    }
  })

  test('aggregates and groups of pieces are those that one statement gives', async () => {
    const values = [...inOrder, ...inOrder, 0.1, 0.2, 0.3, -7, 1e300]
    const posts = await aCollection(
      'posts',
      values.map((value, n) => ({ value, n, text: `${n % 3} ${'x'.repeat(500)}` })),
    )
    await hasSeq()
    for (const filter of [{ all: [] }, contains('1 x')]) {
      const query = aQuery({ where: filter })
      for (const path of [['value'], ['text'], ['createdAt']] as const) {
        const inPieces = watch(waiting())
        // A list has told a total before.
        const totals = openTotals()
        const target = { ...aTarget(posts, large), totals }
        await selectPage(waiting(), target, aQuery({ where: filter, count: true }))
        for (const operation of ['count', 'sum', 'avg', 'min', 'max'] as const) {
          const asked = { path, operation }
          const atOnce = await selectAggregate(database(), aTarget(posts, sizes(1)), query, asked)
          const before = inPieces.sent.length

          expect(await selectAggregate(inPieces.watched, target, query, asked, 8_192)).toBe(atOnce)
          expect(inPieces.sent.length - before).toBeGreaterThan(4)
        }
        const atOnce = await selectGroups(database(), aTarget(posts, sizes(1)), query, path)
        const before = inPieces.sent.length

        expect(await selectGroups(inPieces.watched, target, query, path, 8_192)).toEqual(atOnce)
        expect(inPieces.sent.length - before).toBeGreaterThan(5)
      }
    }
  })

  // Before the first piece, before the second, which is empty, before the values, and before the last look.
  test.each([
    [1, 3],
    [2, 4],
    [3, 6],
    [4, 6],
  ])('groups whose collection changes before statement %i are read by one statement', async (at, expectedCount) => {
    const posts = await aCollection('posts', [{ text: 'a' }])
    await hasSeq()
    let sentCount = 0
    const changing = waiting(async () => {
      if (sentCount++ === at) await change(posts)
    })

    const groups = await selectGroups(changing, aTarget(posts, large), aQuery({}), ['text'])

    expect(groups).toHaveLength(2)
    expect(sentCount).toBe(expectedCount)
  })

  // Before the first piece, before the second, which is empty, before the page, and before the last look.
  test.each([
    [1, 3],
    [2, 4],
    [3, 6],
    [4, 6],
  ])('a page whose collection changes before statement %i is read by one statement', async (at, expectedCount) => {
    const posts = await aCollection('posts', [{ text: 'a' }])
    await hasSeq()
    let sentCount = 0
    const changing = waiting(async () => {
      if (sentCount++ === at) await change(posts)
    })

    const page = await selectPage(changing, aTarget(posts, large), aQuery({ where: contains('a'), count: true }))

    expect(page.total).toBe(2)
    expect(page.items).toHaveLength(2)
    expect(sentCount).toBe(expectedCount)
  })

  test('lists are read in pieces where they are scans of a large collection, and others wait for each statement', async () => {
    const asked = (query: Partial<ListQuery>, indexes = large) => {
      const plan = planList(aTarget('00000000-0000-0000-0000-000000000000', indexes), aQuery({ count: true, ...query }))
      return isInPieces({ capabilities: { ...database().capabilities, runsTransactionsTogether: false } }, plan)
    }

    expect(asked({ where: contains('a') })).toBe(true)
    expect(asked({ sort: [sortBy('n', 'asc')] })).toBe(true)
    expect(asked({ where: where('n', 'gt', '1'), sort: [sortBy('n', 'asc')], count: false })).toBe(true)
    expect(asked({ where: contains('a') }, uncounted)).toBe(true)
    expect(asked({ where: contains('a') }, sizes(megabyte))).toBe(false)
    expect(asked({ where: contains('a'), limit: 2_000 })).toBe(false)
    expect(asked({ where: where('indexed', 'gt', '1') })).toBe(false)
    expect(asked({ where: where('text', 'eq', 'a') })).toBe(false)
    expect(asked({ where: where('text', 'ne', 'a'), sort: [sortBy('indexed', 'desc')], count: false })).toBe(false)
    expect(asked({ where: where('text', 'ne', 'a'), sort: [sortBy('createdAt', 'desc')], count: false })).toBe(false)
    expect(asked({ where: { all: [{ any: [timeTest('indexed')] }] } })).toBe(false)
    expect(asked({ where: { all: [{ any: [timeTest('due')] }] } })).toBe(true)
    expect(asked({ where: where('createdAt', 'gt', '2020') })).toBe(false)
    expect(asked({})).toBe(false)
    expect(isInPieces(database(), planList(aTarget('', large), aQuery({ where: contains('a'), count: true })))).toBe(
      !database().capabilities.runsTransactionsTogether,
    )
  })
})

/** A database whose statements make others wait. */
function waiting(before: () => Promise<void> = async () => undefined): Database {
  return {
    ...database(),
    capabilities: { ...database().capabilities, runsTransactionsTogether: false },
    async query(statement) {
      await before()
      return database().query(statement)
    },
  }
}

type Row = { readonly id: string | null; readonly total: number | null }

const timeTest = (name: string) => ({ path: [name], operator: 'eq', value: '2026-01-31', isTime: true }) as const

/** Changes are numbered from here on. */
async function hasSeq() {
  await database().query(sql`insert into sequences (project_id, last_seq) values ('p', 0) on conflict do nothing`)
}

async function change(collection: string) {
  await add(collection, [{ text: 'a, too' }], 500)
  await database().batch([
    sql`
      insert into changes (project_id, seq, kind, collection_id, document_id, version, recorded_at)
      select 'p', last_seq + 1, 'created', ${collection}::uuid, gen_random_uuid(), 1, now() from sequences where project_id = 'p'`,
    sql`update sequences set last_seq = last_seq + 1 where project_id = 'p'`,
  ])
}
