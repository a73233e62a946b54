import { beforeEach, describe, expect, test } from 'vitest'
import type { ListQuery } from '../../../client/protocol/model/page.js'
import { sql } from '../../../emulator/database/port.js'
import { buildPage } from '../../../emulator/store/lists/page.js'
import { planList } from '../../../emulator/store/lists/plan.js'
import { openTotals, type Totals } from '../../../emulator/store/lists/totals.js'
import {
  aCollection,
  database,
  explainedForAny,
  type Indexes,
  list,
  n,
  onEachEngine,
  where,
  withIndexes,
} from '../../fixtures/databases/stored-lists.js'

// A cached total is wrong on purpose here, so that it differs from a counted one.
const wrong = 777
/** As of a large collection. */
const large: Indexes = { request: () => ({ isSmall: false, documents: 100_000, has: () => false }) }

onEachEngine(() => {
  beforeEach(() =>
    database().batch([
      sql`delete from changes`,
      sql`delete from pending_changes`,
      sql`delete from sequences`,
      sql`insert into sequences (project_id, last_seq) values ('p', 5)`,
    ]),
  )

  const byIndex: readonly [string, Partial<ListQuery>][] = [
    ['newest first', {}],
    ['sorted', { sort: [{ path: ['n'], direction: 'asc' }] }],
    ['deep down', { offset: 2 }],
  ]
  describe.each(byIndex)('The total of a filter, %s,', (_kind, query) => {
    const asked = { where: where('kind', 'eq', 'a'), limit: 1, ...query }

    test.each(['without an index', 'with one', 'with one, among few'])(
      'is remembered until the collection changes, %s',
      async (how) => {
        const posts = await aCollection('posts', [
          { n: 1, kind: 'a' },
          { n: 2, kind: 'b' },
          { n: 3, kind: 'a' },
          { n: 4, kind: 'a' },
        ])
        const other = await aCollection('other', [], 100)
        const sorts = [
          { path: ['id'] as const, kind: 'desc' as const, equal: [['kind'] as const] },
          { path: ['n'] as const, kind: 'asc' as const, equal: [['kind'] as const] },
        ]
        const kept = how !== 'without an index' ? await withIndexes(posts, sorts) : undefined
        const indexes: Indexes = kept
          ? { request: (...use) => ({ ...kept.request(...use), isSmall: how !== 'with one', documents: 100_000 }) }
          : large
        const totals = openTotals()
        const total = async () => (await list(posts, asked, indexes, { totals: remembering(totals, wrong) })).total

        expect(await total()).toBe(3)
        expect(await total()).toBe(wrong)
        await change(other, 6)
        expect(await total()).toBe(wrong)
        await change(posts, 7)
        expect(await total()).toBe(3)
      },
    )
  })

  test('A remembered total does not hold where changes since then are not kept, nor where the numbers began anew', async () => {
    const posts = await aCollection('posts', [{ n: 1 }])
    const other = await aCollection('other', [], 100)
    const totals = openTotals()
    const total = async () =>
      (await list(posts, { where: where('n', 'gt', '0') }, large, { totals: remembering(totals, wrong) })).total
    expect([await total(), await total()]).toEqual([1, wrong])

    await database().query(sql`update sequences set last_seq = 6`)
    expect([await total(), await total()]).toEqual([1, wrong])
    await database().query(sql`update sequences set last_seq = 4`)
    expect([await total(), await total()]).toEqual([1, wrong])
    for (let seq = 5; seq < 1_006; seq++) await change(other, seq)

    expect(await total()).toBe(1)
  })

  test('A remembered total does not hold while changes of the collection wait for their numbers', async () => {
    const posts = await aCollection('posts', [{ n: 1 }])
    const other = await aCollection('other', [], 100)
    const totals = openTotals()
    const total = async () =>
      (await list(posts, { where: where('n', 'gt', '0') }, large, { totals: remembering(totals, wrong) })).total
    expect([await total(), await total()]).toEqual([1, wrong])

    await waitForNumber(other)
    expect(await total()).toBe(wrong)
    await waitForNumber(posts)

    expect(await total()).toBe(1)
  })

  test('A page whose total is remembered is found where it is likely, and elsewhere', async () => {
    const posts = await aCollection(
      'posts',
      Array.from({ length: 3_000 }, (_, n) => ({ n, even: n % 2 === 0, first: n < 3 })),
    )
    const page = async (field: string, total: number, offset = 0) =>
      (
        await list(posts, { where: where(field, 'eq', 'true'), limit: 2, offset }, large, {
          totals: { get: () => ({ seq: 5, total }), keep: () => undefined },
        })
      ).found.map(n)

    expect(await page('even', 1_500)).toEqual([2_998, 2_996])
    expect(await page('even', 1_500, 1_400)).toEqual([198, 196])
    expect(await page('first', 1_500)).toEqual([2, 1])
    expect(await page('first', 3)).toEqual([2, 1])
    expect(await page('none', 0)).toEqual([])
  })

  test('The total of a collection is worked out once, not for each document of the page', async () => {
    const posts = await aCollection(
      'posts',
      Array.from({ length: 50 }, (_, n) => ({ n })),
    )
    const place = { project: 'p', collection: { id: posts, name: 'posts' }, mayReadAll: true, roles: [] }

    for (const sort of [[], [{ path: ['n'] as const, direction: 'asc' as const }]]) {
      const query = { where: { all: [] }, sort, limit: 20, offset: 0, count: true, populate: [], select: [] }
      // Such a plan is part of another, and made anew for each of its rows.
      expect(await explainedForAny(buildPage(planList(place, query)))).not.toContain('SubPlan')
    }
  })
})

/** Caches this total in place of each. */
function remembering(totals: Totals, total: number): Totals {
  return { get: totals.get, keep: (key, { seq }) => totals.keep(key, { seq, total }) }
}

async function change(collection: string, seq: number) {
  await database().batch([
    sql`
      insert into changes (project_id, seq, kind, collection_id, document_id, version, data, recorded_at)
      values ('p', ${seq}::bigint, 'created', ${collection}::uuid, gen_random_uuid(), 1, '{}', now())`,
    sql`update sequences set last_seq = ${seq}::bigint where project_id = 'p'`,
  ])
}

/** Adds a change that no sequencer has numbered yet. */
async function waitForNumber(collection: string) {
  await database().query(sql`
    insert into pending_changes (project_id, kind, collection_id, recorded_at)
    values ('p', 'created', ${collection}::uuid, now())`)
}
