import { describe, expect, test } from 'vitest'
import { functions, functionsOfRows } from '../../../emulator/core/sql/allowed.js'
import { runQuery } from '../../../emulator/core/sql/run-query.js'
import { type Database, sql } from '../../../emulator/database/port.js'
import { aCollection, database, onEachEngine } from '../../fixtures/databases/stored-lists.js'
import { aBackend } from '../../fixtures/stand-ins.js'

onEachEngine(() => {
  // `posts.f` calls such a function where `posts` has no column of that name.
  test('the console knows every function that takes a whole row', async () => {
    const rows = await database().query<{ name: string }>(sql`
      select distinct p.proname::text as name
      from pg_catalog.pg_proc p
      where p.pronamespace = 'pg_catalog'::regnamespace and p.prokind in ('f', 'a') and p.pronargs > 0
        and p.pronargs - p.pronargdefaults <= 1
        and p.proargtypes[0] in ('record'::regtype, '"any"'::regtype, 'anyelement'::regtype, 'anynonarray'::regtype,
          'anycompatible'::regtype, 'anycompatiblenonarray'::regtype)`)
    const names = rows.map(({ name }) => name)

    expect(names.length).toBeGreaterThan(10)
    expect(
      names.filter((name) => !functions.has(name) && !functionsOfRows.has(name) && !name.startsWith('pg_')),
    ).toEqual([])
  })

  describe('A query of the console', () => {
    /** Queries that would hang the suite are never begun. */
    const run = (query: string) => {
      const transaction: Database['transaction'] = async () => {
        throw new Error('It was begun.')
      }
      const { capabilities, query: read } = database()
      const db = { capabilities, query: read, transaction } as Database
      return runQuery(aBackend({ db }), 'p', { query, mostRows: 10 })
    }
    const joined = (times: number) => Array.from({ length: times }, (_, at) => `posts p${at}`).join(', ')

    test.each([
      ['of joins', `select count(*) from (select 1 from ${joined(20)}) x`],
      ['with joins in a condition', `select 1 where exists (select 1 from ${joined(20)})`],
      ['of joins of joins', `with x as (select 1 from ${joined(10)}) select 1 from x one, x other`],
    ])('%s is refused by how many documents there are, whatever the planner expects', async (_, query) => {
      await aCollection('posts', [{ n: 1 }, { n: 2 }, { n: 3 }])

      await expect(run(query)).rejects.toMatchObject({
        ...{ code: 'INVALID_QUERY', message: expect.stringMatching(/^This would take too long/) },
      })
    })

    test('is begun where there is little to do', async () => {
      await aCollection('posts', [{ n: 1 }, { n: 2 }, { n: 3 }])

      await expect(run(`select count(*) from ${joined(10)}`)).rejects.toThrow('It was begun.')
    })

    test('may be longer where the database can end it', async () => {
      await aCollection('posts', [{ n: 1 }, { n: 2 }, { n: 3 }])
      const begun = run(`select count(*) from ${joined(15)}`)

      if (database().capabilities.endsStatements) await expect(begun).rejects.toThrow('It was begun.')
      else await expect(begun).rejects.toMatchObject({ code: 'INVALID_QUERY' })
    })
  })
})
