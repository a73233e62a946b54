/** Reads the properties of a server, for the check before the first start. Changes nothing. */

import { newestMigration } from '../migrate.js'
import { type Database, sql } from '../port.js'

export interface ServerFacts {
  readonly version: number
  readonly encoding: string
  readonly collation: string
  readonly maxConnections: number
  readonly isDurable: boolean
  readonly isStandby: boolean
  /** Whether the role may create what is missing; true if nothing is. */
  readonly mayMigrate: boolean
  /** Whether `pg_trgm` is installed, or the role can install it. */
  readonly hasTrigrams: boolean
  /** Milliseconds that its clock is ahead of this machine's. */
  readonly clockAhead: number
  /** The last applied migration; 0 in a new database. */
  readonly migration: number
  readonly newestMigration: number
}

/** @throws {DatabaseError} */
export async function readServerFacts(db: Database): Promise<ServerFacts> {
  const askedAt = Date.now()
  const [row] = await db.query<Omit<ServerFacts, 'clockAhead' | 'migration' | 'newestMigration'> & Clocked>(sql`
    select current_setting('server_version_num')::int / 10000 as version,
      pg_encoding_to_char(d.encoding) as encoding,
      d.datcollate as collation,
      current_setting('max_connections')::int as "maxConnections",
      current_setting('fsync') = 'on' and current_setting('synchronous_commit') <> 'off' as "isDurable",
      pg_is_in_recovery() as "isStandby",
      case when to_regnamespace('svc') is null then has_database_privilege(current_database(), 'create')
        else has_schema_privilege('svc', 'create') end as "mayMigrate",
      exists (select from pg_extension where extname = 'pg_trgm') or (
        has_database_privilege(current_database(), 'create')
        and exists (select from pg_available_extensions where name = 'pg_trgm')
      ) as "hasTrigrams",
      (extract(epoch from clock_timestamp()) * 1000)::double precision as now,
      to_regclass('svc.migrations') is not null as "hasMigrations"
    from pg_database d
    where d.datname = current_database()`)
  if (!row) throw new Error('The server returned no row for its database.')
  const { now, hasMigrations, ...facts } = row
  const [applied] = hasMigrations
    ? await db.query<{ newest: number }>(sql`select coalesce(max(number), 0) as newest from svc.migrations`)
    : []
  const clockAhead = Math.round(now - (askedAt + Date.now()) / 2)
  return { ...facts, clockAhead, migration: applied?.newest ?? 0, newestMigration }
}

interface Clocked {
  readonly now: number
  readonly hasMigrations: boolean
}
