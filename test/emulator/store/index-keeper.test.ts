import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { type IndexKeeper, type IndexKeeperOptions, openIndexKeeper } from '../../../emulator/background/indexes.js'
import { sql } from '../../../emulator/database/port.js'
import { type FieldUse, selectFieldIndexes } from '../../../emulator/store/lists/indexes.js'
import { watch } from '../../fixtures/databases/rows-read.js'
import { database, onEachEngine } from '../../fixtures/databases/stored-lists.js'

const posts = '01900000-0000-7000-8000-000000000001'
const sortByTitle: FieldUse = { path: ['title'], kind: 'asc' }

let now = new Date('2026-01-01T00:00:00Z')
beforeEach(() => {
  now = new Date('2026-01-01T00:00:00Z')
})

onEachEngine(() => {
  beforeEach(() =>
    database().batch([
      sql`insert into collections values (${posts}::uuid, 'p', 'posts', '{}', '{}', now(), now())`,
      sql`insert into document_counts (collection_id, documents) values (${posts}::uuid, 50)`,
      sql`insert into documents (id, collection_id, data, created_at, updated_at)
        select gen_random_uuid(), ${posts}::uuid, jsonb_build_object('title', n), now(), now() from generate_series(1, 50) n`,
    ]),
  )

  describe('A field that lists ask for', () => {
    test('gets an index the third time, once the collection is large', async () => {
      const keeper = open({ fromDocuments: 50 })
      await ask(keeper, sortByTitle, 2)
      expect(await kept()).toEqual([])

      await ask(keeper, sortByTitle, 1)

      expect((await kept()).map(({ kind }) => kind)).toEqual(['asc', 'odd'])
      expect(keeper.asked(posts, []).has(['title'], 'asc')).toBe(true)
      expect(keeper.asked(posts, []).has(['title'], 'desc')).toBe(false)
    })

    test('gets none while the collection is small, nor when no document has it', async () => {
      await ask(open({ fromDocuments: 51 }), sortByTitle, 9)
      await ask(open({ fromDocuments: 50 }), { path: ['nothing'], kind: 'asc' }, 9)

      expect(await kept()).toEqual([])
    })

    test('shares one index in order between sorts and comparisons', async () => {
      const keeper = open({ fromDocuments: 50 })
      await ask(keeper, { path: ['title'], kind: 'desc' }, 3)

      await ask(keeper, { path: ['title'], kind: 'range' }, 3)

      expect((await kept()).map(({ kind }) => kind)).toEqual(['desc', 'odd'])
    })

    test('gets one at once where a list takes long', async () => {
      const keeper = open({ fromDocuments: 50, atOnceDocuments: 50 })

      await ask(keeper, { path: ['title'], kind: 'desc', equal: [['title']] }, 1)

      expect(keeper.asked(posts, []).has(['title'], 'desc', [['title']])).toBe(true)
      expect(keeper.asked(posts, []).has(['title'], 'desc')).toBe(false)
    })

    test('gets one also for a list that came before the collection was counted', async () => {
      const keeper = open({ fromDocuments: 50, atOnceDocuments: 50 })

      keeper.asked(posts, [sortByTitle])
      await keeper.settled()

      expect(keeper.asked(posts, []).has(['title'], 'asc')).toBe(true)
    })

    test('gets no more than the collection may have', async () => {
      const keeper = open({ fromDocuments: 50, mostPerCollection: 1 })
      for (const path of [['createdAt'], ['updatedAt']] as const) await ask(keeper, { path, kind: 'desc' }, 3)

      expect((await kept()).map(({ path }) => path)).toEqual(['["createdAt"]'])
    })
  })

  describe('An index', () => {
    test('is dropped when no list has used it for two weeks, or when its collection is gone', async () => {
      const keeper = open({ fromDocuments: 50 })
      await ask(keeper, sortByTitle, 3)
      await ask(keeper, { path: ['title'], kind: 'text' }, 3)

      now = new Date('2026-01-14T00:00:00Z')
      await ask(keeper, sortByTitle, 1)
      await keeper.review()
      now = new Date('2026-01-16T00:00:00Z')
      await keeper.review()
      expect((await kept()).map(({ kind }) => kind)).toEqual(['asc', 'odd'])

      await database().query(sql`delete from collections`)
      await keeper.review()
      expect(await kept()).toEqual([])
      expect(
        await database().query(
          sql`select indexname from pg_indexes where indexname like 'field\\_%' and tablename = 'documents'`,
        ),
      ).toEqual([])
    })

    test('is kept with its reason and how often it was used', async () => {
      const keeper = open({ fromDocuments: 50 })
      await ask(keeper, sortByTitle, 3)

      await ask(keeper, sortByTitle, 4)
      await keeper.review()

      expect(
        (await selectFieldIndexes(database())).map(({ kind, uses, reason, bytes }) => [kind, uses, reason, bytes > 0]),
      ).toEqual(
        expect.arrayContaining(
          ['asc', 'odd'].map((kind) => [kind, 4, '3 lists asked for it among 50 documents', true]),
        ),
      )
    })

    test('that is ready is found without looking at what other sessions do, which takes long to plan', async () => {
      await ask(open({ fromDocuments: 50 }), sortByTitle, 3)
      const { watched, sent } = watch(database())

      const keeper = openIndexKeeper(watched, { now: () => now, report: (error) => expect.fail(String(error)) })
      opened.push(keeper)
      await keeper.settled()

      expect(keeper.asked(posts, []).has(['title'], 'asc')).toBe(true)
      expect(sent.map(({ text }) => text).join()).not.toContain('pg_stat_activity')
    })

    test('whose making was interrupted is not used, and made again later', async () => {
      await ask(open({ fromDocuments: 50 }), sortByTitle, 3)
      const [{ name } = { name: '' }] = await kept()
      await database().query({ text: `drop index svc.${name}`, values: [] })

      const keeper = open({ fromDocuments: 50 })
      await keeper.settled()
      expect(keeper.asked(posts, []).has(['title'], 'asc')).toBe(false)
      now = new Date('2026-01-01T01:00:00Z')
      await keeper.review()
      await ask(keeper, sortByTitle, 3)

      expect(keeper.asked(posts, []).has(['title'], 'asc')).toBe(true)
    })
  })
})

function open(options: Partial<IndexKeeperOptions>): IndexKeeper {
  const keeper = openIndexKeeper(database(), {
    now: () => now,
    report: (error) => expect.fail(String(error)),
    ...options,
  })
  opened.push(keeper)
  return keeper
}

const opened: IndexKeeper[] = []
afterAll(() => {
  for (const keeper of opened) keeper.close()
})

/** Queries by a field that many times, the collection's size being known. */
async function ask(keeper: IndexKeeper, use: FieldUse, times: number) {
  keeper.asked(posts, [])
  await keeper.settled()
  for (let time = 0; time < times; time++) keeper.asked(posts, [use])
  await keeper.settled()
}

function kept() {
  return database().query<{ name: string; kind: string; path: string }>(
    sql`select name, kind, path from field_indexes order by kind`,
  )
}
