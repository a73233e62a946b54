import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
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
      expect(keeper.request(posts, []).has(['title'], 'asc')).toBe(true)
      expect(keeper.request(posts, []).has(['title'], 'desc')).toBe(false)
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

      expect(keeper.request(posts, []).has(['title'], 'desc', [['title']])).toBe(true)
      expect(keeper.request(posts, []).has(['title'], 'desc')).toBe(false)
    })

    test('gets one also for a list that came before the collection was counted', async () => {
      const keeper = open({ fromDocuments: 50, atOnceDocuments: 50 })

      keeper.request(posts, [sortByTitle])
      await keeper.settled()

      expect(keeper.request(posts, []).has(['title'], 'asc')).toBe(true)
    })

    test('gets none that would keep the embedded database busy for long, which is said once', async () => {
      await database().query(sql`update document_counts set documents = 340_000`)
      const said: string[] = []
      const keeper = open({ fromDocuments: 50, atOnceDocuments: 50, announce: (message) => said.push(message) })

      for (let round = 0; round < 3; round++) {
        for (let list = 0; list < 3; list++) await ask(keeper, { path: ['title'], kind: 'text' }, 1)
        await keeper.review()
      }

      const isAlone = !database().capabilities.supportsConcurrentIndexes
      expect(await kept()).toHaveLength(isAlone ? 0 : 1)
      expect(said).toEqual(isAlone ? [expect.stringMatching(/^Index not created: an index over title of 340,000/)] : [])
    })

    test('gets no more than the collection may have', async () => {
      const keeper = open({ fromDocuments: 50, maxPerCollection: 1 })
      for (const path of [['createdAt'], ['updatedAt']] as const) await ask(keeper, { path, kind: 'desc' }, 3)

      expect((await kept()).map(({ path }) => path)).toEqual(['["createdAt"]'])
    })

    test('gets one that takes long only where there is room for it, and no other is announced', async () => {
      await database().query(sql`update document_counts set documents = 200_000`)
      const said: string[] = []
      const announce = (message: string) => said.push(message)
      const keeper = open({ fromDocuments: 50, atOnceDocuments: 50, maxPerCollection: 1, announce })
      await ask(keeper, { path: ['createdAt'], kind: 'desc' }, 1)

      for (let round = 0; round < 2; round++) {
        await ask(keeper, sortByTitle, 1)
        await keeper.review()
      }

      const isAlone = !database().capabilities.supportsConcurrentIndexes
      expect((await kept()).map(({ path }) => path)).toEqual(['["createdAt"]'])
      expect(said).toEqual(isAlone ? [expect.stringMatching(/^Creating an index over createdAt of 200,000/)] : [])
    })

    test('gets another in the place of one that no list has used for an hour', async () => {
      const keeper = open({ fromDocuments: 50, maxPerCollection: 3 })
      const newest = (field: string): FieldUse => ({ path: [field], kind: 'desc' })
      const [created, title, updated] = [newest('createdAt'), newest('title'), newest('updatedAt')]
      const paths = async () => [...new Set((await kept()).map(({ path }) => path))].toSorted()
      for (const use of [created, title, updated]) await ask(keeper, use, 3)
      expect(await paths()).toEqual(['["createdAt"]', '["title"]'])

      now = new Date('2026-01-01T02:00:00Z')
      await ask(keeper, title, 1)
      await keeper.review()
      await ask(keeper, updated, 3)

      expect(await paths()).toEqual(['["title"]', '["updatedAt"]'])
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
        expect.arrayContaining(['asc', 'odd'].map((kind) => [kind, 4, '3 lists needed it among 50 documents', true])),
      )
    })

    test('that is ready is found without looking at what other sessions do, which takes long to plan', async () => {
      await ask(open({ fromDocuments: 50 }), sortByTitle, 3)
      const { watched, sent } = watch(database())

      const keeper = openIndexKeeper(watched, { now: () => now, report: (error) => expect.fail(String(error)) })
      opened.push(keeper)
      await keeper.settled()

      expect(keeper.request(posts, []).has(['title'], 'asc')).toBe(true)
      expect(sent.map(({ text }) => text).join()).not.toMatch(/pg_locks|pg_stat/)
    })

    test('whose making was interrupted is not used, and made again later', async () => {
      await ask(open({ fromDocuments: 50 }), sortByTitle, 3)
      const [{ name } = { name: '' }] = await kept()
      await database().query({ text: `drop index svc.${name}`, values: [] })

      const keeper = open({ fromDocuments: 50 })
      await keeper.settled()
      expect(keeper.request(posts, []).has(['title'], 'asc')).toBe(false)
      now = new Date('2026-01-01T01:00:00Z')
      await keeper.review()
      await ask(keeper, sortByTitle, 3)

      expect(keeper.request(posts, []).has(['title'], 'asc')).toBe(true)
    })
  })

  describe('The indexes of all collections', () => {
    /** Collections of a project whose documents have a title. */
    async function collections(project: string, count: number): Promise<string[]> {
      const ids = Array.from({ length: count }, () => randomUUID())
      await database().query(sql`
        insert into projects (id, name, settings, created_at) values (${project}, ${project}, '{}', now())
        on conflict do nothing`)
      for (const id of ids) {
        await database().batch([
          sql`insert into collections values (${id}::uuid, ${project}, ${id}, '{}', '{}', now(), now())`,
          sql`insert into document_counts (collection_id, documents) values (${id}::uuid, 50)`,
          sql`insert into documents (id, collection_id, data, created_at, updated_at)
            values (gen_random_uuid(), ${id}::uuid, '{"title": 1}', now(), now())`,
        ])
      }
      return ids
    }
    const askAll = async (keeper: IndexKeeper, ids: readonly string[]) => {
      for (const id of ids) await ask(keeper, sortByTitle, 3, id)
    }
    const served = (keeper: IndexKeeper, ids: readonly string[]) =>
      ids.filter((id) => keeper.request(id, []).has(['title'], 'asc')).length

    test('are so many at most, and a project with fewer gets its share of the one with most', async () => {
      const keeper = open({ fromDocuments: 50, maxTotal: 12 })
      const [many, few] = [await collections('many', 40), await collections('few', 10)]

      await askAll(keeper, many)
      expect([(await kept()).length, served(keeper, many)]).toEqual([12, 6])
      await askAll(keeper, few)

      expect([(await kept()).length, served(keeper, many), served(keeper, few)]).toEqual([12, 3, 3])
      expect((await kept()).filter(({ kind }) => kind === 'odd').length).toBe(6)
    })

    test('give way to others once no list has used them for an hour', async () => {
      const keeper = open({ fromDocuments: 50, maxTotal: 6 })
      const ids = await collections('p', 6)
      const [first = '', second = '', third = '', ...others] = ids
      await askAll(keeper, ids)
      expect(served(keeper, [first, second, third])).toBe(3)

      now = new Date('2026-01-01T02:00:00Z')
      await ask(keeper, sortByTitle, 1, first)
      await keeper.review()
      await askAll(keeper, others)

      expect([served(keeper, [first]), served(keeper, [second, third]), served(keeper, others)]).toEqual([1, 0, 2])
      expect((await kept()).length).toBe(6)
    })

    test('are brought down to that number where there are more, as lists stop using them', async () => {
      const ids = await collections('p', 6)
      const [first = '', second = ''] = ids
      await askAll(open({ fromDocuments: 50 }), ids)
      const keeper = open({ fromDocuments: 50, maxTotal: 6 })
      await keeper.review()
      expect((await kept()).length).toBe(12)

      now = new Date('2026-01-01T02:00:00Z')
      for (const id of [first, second]) await ask(keeper, sortByTitle, 1, id)
      await keeper.review()

      expect([(await kept()).length, served(keeper, ids), served(keeper, [first, second])]).toEqual([6, 3, 2])
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
afterEach(() => {
  for (const keeper of opened.splice(0)) keeper.close()
})

/** Queries by a field that many times, the collection's size being known. */
async function ask(keeper: IndexKeeper, use: FieldUse, times: number, collection = posts) {
  keeper.request(collection, [])
  await keeper.settled()
  for (let time = 0; time < times; time++) keeper.request(collection, [use])
  await keeper.settled()
}

function kept() {
  return database().query<{ name: string; kind: string; path: string }>(
    sql`select name, kind, path from field_indexes order by kind`,
  )
}
