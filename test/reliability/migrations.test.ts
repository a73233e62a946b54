/** Every statement of every migration fails once, and all after it: the version before is intact, and the next start resumes there. */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { migrate, newestMigration } from '../../emulator/database/migrate.js'
import { migrations } from '../../emulator/database/migrations/migrations.js'
import { openPglite } from '../../emulator/database/pglite/pglite.js'
import { type Database, DatabaseError, type Sql, sql } from '../../emulator/database/port.js'
import { record } from './ledger.js'
import { isLong } from './scale.js'

/** The short form fails one statement in so many, and the last of each migration. */
const step = isLong ? 1 : 12

/** The migrations there are and two that build on them, so that a start goes on in the middle. */
const known = [
  ...migrations,
  {
    number: newestMigration + 1,
    name: 'words',
    statements: [
      sql`alter table documents add column words text not null default 'none'`,
      sql`create index documents_by_words on documents (words)`,
    ],
  },
  {
    number: newestMigration + 2,
    name: 'no words',
    statements: [sql`drop index documents_by_words`, sql`alter table documents drop column words`],
  },
]
const upgrade = (database: Database) => migrate(database, { migrations: known })

let db: Database
let undisturbed: unknown
beforeAll(async () => {
  db = await openPglite()
  await upgrade(db)
  undisturbed = await shapeOf(db)
})
beforeEach(() => db.query(sql`drop schema svc cascade`))
afterAll(() => db.close())

interface Fault {
  /** The transaction, one for each migration, counted from 1. */
  readonly transaction: number
  /** The statement in it that fails, counted from 1; none where its answer is lost once it is committed. */
  readonly statement: number | undefined
}

/** A database whose connection breaks at that statement. `isMet` says whether there was such a statement. */
function cutOff(db: Database, { transaction, statement }: Fault) {
  const state = { transactions: 0, isMet: false }
  const lost = () => new DatabaseError('The database was made to fail.', '08006')
  const failing: Database = {
    ...db,
    async transaction(work) {
      const at = ++state.transactions
      if (state.isMet || at > transaction) throw lost()
      let calls = 0
      const result = await db.transaction((tx) =>
        work({
          ...tx,
          query: async <Row>(one: Sql) => {
            if (at === transaction && ++calls === statement) {
              state.isMet = true
              throw lost()
            }
            return tx.query<Row>(one)
          },
        }),
      )
      if (at !== transaction || statement !== undefined) return result
      state.isMet = true
      throw lost()
    },
  }
  return { failing, state }
}

const newest = async () =>
  (await db.query<{ newest: number }>(sql`select coalesce(max(number), 0)::int as newest from svc.migrations`))[0]
    ?.newest

/** Tables with their columns, indexes, constraints, functions and triggers. */
async function shapeOf(db: Database): Promise<unknown> {
  return db.query(sql`
    select 'column' as what, table_name || '.' || column_name as name,
      concat(data_type, is_nullable, column_default, generation_expression) as details
    from information_schema.columns
    where table_schema = 'svc'
    union all
    select 'index', indexname, indexdef from pg_indexes where schemaname = 'svc'
    union all
    select 'constraint', conname, pg_get_constraintdef(oid) from pg_constraint where connamespace = 'svc'::regnamespace
    union all
    select 'function', proname, pg_get_functiondef(oid) from pg_proc where pronamespace = 'svc'::regnamespace
    union all
    select 'trigger', tgname, pg_get_triggerdef(t.oid)
    from pg_trigger t
    join pg_class c on c.oid = t.tgrelid
    where c.relnamespace = 'svc'::regnamespace and not t.tgisinternal
    order by 1, 2, 3`)
}

it('a migration is whole or was never begun, and the next start goes on from there', async () => {
  let faults = 0
  for (const [at, { number }] of known.entries()) {
    let before: unknown
    for (let statement = 1; ; statement += step) {
      const { failing, state } = cutOff(db, { transaction: at + 1, statement })
      await expect(upgrade(failing)).rejects.toThrow('was made to fail')
      if (!state.isMet) break
      faults++
      expect(await newest()).toBe(known[at - 1]?.number ?? 0)
      before ??= await shapeOf(db)
      expect(await shapeOf(db), `migration ${number}, statement ${statement}`).toEqual(before)
    }
    expect(await newest()).toBe(number)
  }

  record({
    part: 'fault sweep',
    what: `${known.length} migrations`,
    engine: 'pglite',
    count: faults,
    unit: 'faults',
    found: { violations: 0 },
  })
  await upgrade(db)
  expect(await shapeOf(db)).toEqual(undisturbed)
})

it('a migration whose commit was done but never heard of is not applied a second time', async () => {
  for (const [at, { number }] of known.entries()) {
    await expect(upgrade(cutOff(db, { transaction: at + 1, statement: undefined }).failing)).rejects.toThrow(
      'made to fail',
    )
    expect(await newest()).toBe(number)
  }

  await upgrade(db)

  expect(await shapeOf(db)).toEqual(undisturbed)
})
