import { type Database, sql } from '../database/port.js'

export interface DatabaseSize {
  /** The version of PostgreSQL, for example `18.3`. */
  readonly version: string
  /** The size of all tables and indexes, without the log. */
  readonly bytes: number
}

export async function selectSize(db: Database): Promise<DatabaseSize> {
  const [row] = await db.query<DatabaseSize>(
    sql`select current_setting('server_version') as version, pg_database_size(current_database()) as bytes`,
  )
  return row ?? { version: '', bytes: 0 }
}

/** Returns when the database last wrote its log. Null if the role may not see that. */
export async function selectSavedAt(db: Database): Promise<string | null> {
  const [allowed] = await db.query<{ may: boolean }>(
    sql`select has_function_privilege('pg_catalog.pg_ls_waldir()', 'execute') as may`,
  )
  if (!allowed?.may) return null
  const [row] = await db.query<{ at: string | null }>(
    sql`select max(modification) as at from pg_catalog.pg_ls_waldir()`,
  )
  return row?.at ?? null
}
