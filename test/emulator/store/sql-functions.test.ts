import { expect, test } from 'vitest'
import { functions, functionsOfRows } from '../../../emulator/core/sql/allowed.js'
import { sql } from '../../../emulator/database/port.js'
import { database, onEachEngine } from '../../fixtures/databases/stored-lists.js'

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
})
