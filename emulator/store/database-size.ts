import { type Database, sql } from '../database/port.js'

export interface DatabaseSize {
  /** Of PostgreSQL, such as `18.3`. */
  readonly version: string
  /** Of all tables and indexes, without the log. */
  readonly bytes: number
}

export async function selectSize(db: Database): Promise<DatabaseSize> {
  const [row] = await db.query<DatabaseSize>(
    sql`select current_setting('server_version') as version, pg_database_size(current_database()) as bytes`,
  )
  return row ?? { version: '', bytes: 0 }
}
