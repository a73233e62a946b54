/** Every statement of every migration fails once, and all after it: the version before is intact, and the next start resumes there. */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { migrate, newestMigration } from '../../../emulator/database/migrate.js'
import { openPglite } from '../../../emulator/database/pglite/pglite.js'
import { type Database, DatabaseError, type Sql, sql } from '../../../emulator/database/port.js'
import { record } from '../ledger.js'
import { isLong } from '../scale.js'

/** The short form fails one statement in so many, and the last of each migration. */
const step = isLong ? 1 : 12

let db: Database
let undisturbed: unknown
beforeAll(async () => {
  db = await openPglite()
  await migrate(db)
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
  for (let number = 1; number <= newestMigration; number++) {
    let before: unknown
    for (let statement = 1; ; statement += step) {
      const { failing, state } = cutOff(db, { transaction: number, statement })
      await expect(migrate(failing)).rejects.toThrow('was made to fail')
      if (!state.isMet) break
      faults++
      expect(await newest()).toBe(number - 1)
      before ??= await shapeOf(db)
      expect(await shapeOf(db), `migration ${number}, statement ${statement}`).toEqual(before)
    }
    expect(await newest()).toBe(number)
  }

  record({
    part: 'fault sweep',
    what: `${newestMigration} migrations`,
    engine: 'pglite',
    count: faults,
    unit: 'faults',
    found: { violations: 0 },
  })
  await migrate(db)
  expect(await shapeOf(db)).toEqual(undisturbed)
})

it('a migration whose commit was done but never heard of is not applied a second time', async () => {
  for (let number = 1; number <= newestMigration; number++) {
    await expect(migrate(cutOff(db, { transaction: number, statement: undefined }).failing)).rejects.toThrow(
      'made to fail',
    )
    expect(await newest()).toBe(number)
  }

  await migrate(db)

  expect(await shapeOf(db)).toEqual(undisturbed)
})
