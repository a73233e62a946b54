/** Migrates a database to the current version, whichever version made it and wherever it was restored. */
import { recreateOrder, sortsByCodePoint } from './migrations/in-order.js'
import { type Migration, migrations } from './migrations/migrations.js'
import { type Database, DatabaseError, lastReaderOfOlder, type Sql, sql } from './port.js'
import { StartError } from './start-error.js'
import { type LockWaits, lockWaits, withBoundedLocks } from './table-locks.js'

/** Prepares for the migrations. */
const preparations = [
  sql`create schema if not exists svc`,
  sql`create extension if not exists pg_trgm`,
  sql`create table if not exists svc.migrations (
    number integer primary key,
    name text not null,
    made_at timestamptz not null default now()
  )`,
]

/** The version after all migrations, and the oldest version that can be migrated. */
export const newestMigration = newestNumber(migrations)
export const oldestMigration = migrations[0]?.number ?? 0

/** The database was changed by a newer version of the service. */
export class NewerDatabaseError extends Error {
  override readonly name = 'NewerDatabaseError'

  constructor(found: number, newest: number) {
    super(`The database is at version ${found}; this svc supports versions up to ${newest}.`)
  }
}

/** The database was made by an older version, and may not be migrated without being asked. */
export class OlderDatabaseError extends Error {
  override readonly name = 'OlderDatabaseError'

  constructor(
    readonly found: number,
    newest: number,
  ) {
    super(`The database is at version ${found}; this svc would migrate it to version ${newest}.`)
  }
}

const lockMigrations = { text: 'select pg_advisory_xact_lock(7163, 1)::text', values: [] }

interface State {
  /** The number of the last applied migration. */
  readonly newest: number
  /** Whether the sort order is of another database: a dump was restored where texts sort differently. */
  readonly is_order_foreign: boolean
}

export interface MigrateOptions extends Partial<LockWaits> {
  readonly refusesOlder?: boolean
  readonly migrations?: readonly Migration[]
}

/**
 * Applies the missing migrations in order, each in a transaction, one process at a time.
 * @throws {NewerDatabaseError} and changes nothing.
 * @throws {OlderDatabaseError} with `refusesOlder`, and changes nothing
 * @throws {StartError} `DATA_OLDER` if its version is too old to migrate, `DATABASE_LOCKED` if a table stays in use
 */
export async function migrate(db: Database, options: MigrateOptions = {}): Promise<void> {
  const { refusesOlder = false, migrations: known = migrations, ...given } = options
  const waits = { ...lockWaits, ...given }
  const newest = newestNumber(known)
  const before = await selectState(db).catch(readNoState)
  requireKnown(before, newest)
  const isOlder = before.newest > 0 && before.newest < newest
  if (isOlder && refusesOlder) throw new OlderDatabaseError(before.newest, newest)
  // Returns early, because most starts find nothing to do.
  if (before.newest === newest && !before.is_order_foreign) return
  for (const preparation of preparations) await db.query(preparation).catch(ignoreRace)
  for (const migration of known) await apply(db, migration, { ...waits, newest })
  const order = (state: State) => (state.is_order_foreign ? recreateOrder : [])
  await runExclusively(db, 'Changing the sort order of texts', order, waits)
}

function newestNumber(known: readonly Migration[]): number {
  return known.at(-1)?.number ?? 0
}

function apply(
  db: Database,
  { number, name, statements }: Migration,
  { newest, ...waits }: LockWaits & { readonly newest: number },
): Promise<void> {
  const missing = (state: State) => {
    requireKnown(state, newest)
    if (state.newest >= number) return []
    return [...statements, sql`insert into svc.migrations (number, name) values (${number}::int, ${name})`]
  }
  return runExclusively(db, `Migration ${number} (${name})`, missing, waits)
}

/** Runs the statements for the state under a lock. Other starting processes wait, then see the new state. */
async function runExclusively(
  db: Database,
  what: string,
  missing: (state: State) => readonly Sql[],
  waits: LockWaits,
): Promise<void> {
  const work = async (tx: Database, bounded: () => Promise<void>) => {
    // Disables the timeout, because large tables and waiting for another process take time.
    await tx.query({ text: 'set local statement_timeout = 0', values: [], patient: true })
    await tx.query({ ...lockMigrations, patient: true })
    const statements = missing(await selectState(tx))
    if (statements.length > 0) await bounded()
    for (const { text, values } of statements) await tx.query({ text, values, patient: true })
  }
  await withBoundedLocks(db, what, work, waits)
}

async function selectState(db: Database): Promise<State> {
  const [state = nothingApplied] = await db.query<State>(sql`
    select coalesce(max(number), 0) as newest, exists (
        select from pg_proc
        where oid = to_regprocedure('svc.in_order(jsonb)') and (prorettype = 'jsonb'::regtype) <> ${sortsByCodePoint}
      ) as is_order_foreign
    from svc.migrations`)
  return state
}

const nothingApplied: State = { newest: 0, is_order_foreign: false }

function requireKnown({ newest: found }: State, newest: number) {
  if (found > newest) throw new NewerDatabaseError(found, newest)
  const isOutdated = found > 0 && found < oldestMigration
  if (isOutdated) throw outdated(found)
}

/** Reports a database from before the first migration. */
export function outdated(found: number): StartError {
  return new StartError(
    'DATA_OLDER',
    `The database is at version ${found}; svc-toolkit ${lastReaderOfOlder} is the last version that reads it.`,
    `Export your documents with that version and import them into a new database, or start with new data: svc dev --fresh.`,
  )
}

/** A database that no migration has touched. */
function readNoState(error: unknown): State {
  if (error instanceof DatabaseError && error.kind === 'missing table') return nothingApplied
  throw error
}

/** Ignores "already exists": two processes that start at once may both create it. */
function ignoreRace(error: unknown): never[] {
  if (error instanceof DatabaseError && (error.kind === 'exists' || error.kind === 'taken')) return []
  throw error
}
