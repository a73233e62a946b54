import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Database, sql } from '../../../emulator/database/port.js'
import { tidyTables } from '../../../emulator/store/upkeep/tables.js'
import { type OpenedEngine, openEngine } from '../../fixtures/databases/engines.js'

let opened: OpenedEngine
let db: Database
beforeAll(async () => {
  opened = await openEngine('pglite')
  db = opened.db
})
afterAll(() => opened.stop())

test('tables that were only inserted into are vacuumed too, so that an index alone answers for their rows', async () => {
  await db.query(sql`
    insert into documents (id, collection_id, data, created_at, updated_at)
    select gen_random_uuid(), '01900000-0000-7000-8000-000000000001', '{}', now(), now() from generate_series(1, 2000)`)

  await expect
    .poll(async () => {
      await tidyTables(db)
      const [row] = await db.query<{ all_visible: boolean }>(
        sql`select relallvisible = relpages as all_visible from pg_class where oid = 'svc.documents'::regclass`,
      )
      return row?.all_visible
    })
    .toBe(true)
})
