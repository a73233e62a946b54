/** The cost of numbering the changes of a project, in rows read. Which numbers they get is in `parallel-writers.test.ts`. */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { migrate } from '../../../emulator/database/migrate.js'
import { type Database, sql } from '../../../emulator/database/port.js'
import { openPostgres } from '../../../emulator/database/postgres/postgres.js'
import { afterCommit } from '../../../emulator/store/sequencer/after-commit.js'
import { type Databases, openDatabases } from '../../fixtures/databases/shared-server.js'

const changes = 5_000

let server: Databases
let db: Database
beforeAll(async () => {
  server = await openDatabases()
  db = await openPostgres({ url: server.url })
  await migrate(db)
})
afterAll(async () => {
  await db.close()
  await server.stop()
})

let projects = 0
let project: string
beforeEach(async () => {
  project = `numbered-${++projects}`
  await db.query(
    sql`insert into projects (id, name, settings, created_at) values (${project}, 'Numbered', '{}', now())`,
  )
  await db.query(sql`insert into sequences (project_id, last_seq) values (${project}, 0)`)
})

it('a backlog of changes is read a few times, whatever the planner believes of the table that held none', async () => {
  // A burst leaves empty pages, and statistics that say so.
  await leaveChanges(db)
  await afterCommit.number(db, project)
  await db.query(sql`analyze pending_changes`)
  await leaveChanges(db)

  const read = await db.transaction(async (tx) => {
    const before = await readRows(tx)
    await afterCommit.numberFirst(tx, project)
    return (await readRows(tx)) - before
  })

  const [numbered] = await db.query(sql`select last_seq::int as last from sequences where project_id = ${project}`)
  expect(numbered).toEqual({ last: 2 * changes })
  // Each is found, then deleted; dead rows stay in the index until the transaction has ended.
  expect(read).toBeLessThan(10 * changes)
})

async function leaveChanges(db: Database): Promise<void> {
  await db.query(sql`
    insert into pending_changes (project_id, kind, collection_id, recorded_at)
    select ${project}, 'collection', gen_random_uuid(), now() from generate_series(1, ${changes}::int)`)
}

/** Rows of the table that this transaction has read. */
async function readRows(tx: Database): Promise<number> {
  const [row] = await tx.query<{ rows: number }>(sql`
    select (seq_tup_read + idx_tup_fetch)::int as rows from pg_stat_xact_user_tables where relname = 'pending_changes'`)
  return row?.rows ?? 0
}
