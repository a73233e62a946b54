/** Maintains tables for engines without background maintenance, and repairs damaged data. */
import { type Database, DatabaseError, type Sql, sql } from '../../database/port.js'

interface TableRow {
  name: string
  wants_vacuum: boolean
  wants_analyze: boolean
}

/** A table larger than this that has lost three quarters of its rows is rewritten to free its space. */
const minRewrittenBytes = 16 * 1024 * 1024

/** The most rows that this process has seen in each table since it was rewritten. */
export type PeakRows = Map<string, number>

/**
 * Vacuums and analyzes tables by the rules of autovacuum: removes dead rows, marks pages as all-visible for index-only
 * scans, and updates statistics. Works table by table, so that requests get in between. Merges the pending list of the
 * index over all data, because every search reads all of it.
 */
export async function tidyTables(db: Database, peakRows: PeakRows = new Map()): Promise<void> {
  if (db.capabilities.vacuumsItself) return
  const tables = await db.query<TableRow>(sql`
    select s.relname as name,
      s.n_dead_tup > 50 + 0.2 * greatest(c.reltuples, 0) or s.n_ins_since_vacuum > 1000 + 0.2 * greatest(c.reltuples, 0)
        as wants_vacuum,
      s.n_mod_since_analyze > 50 + 0.1 * greatest(c.reltuples, 0) as wants_analyze
    from pg_stat_user_tables s
    join pg_class c on c.oid = s.relid
    where s.schemaname = 'svc'`)
  for (const { name, wants_vacuum, wants_analyze } of tables) {
    if (!wants_vacuum && !wants_analyze) continue
    await db.query(patientSql(`${wants_vacuum ? 'vacuum (analyze)' : 'analyze'} svc.${quotedName(name)}`))
  }
  await rewriteEmptied(db, peakRows)
  await db.query(
    patientSql(`select gin_clean_pending_list(i.indexrelid)
      from pg_index i
      join pg_class c on c.oid = i.indexrelid
      join pg_am a on a.oid = c.relam
      where i.indrelid = 'svc.documents'::regclass and a.amname = 'gin' and i.indisvalid`),
  )
}

/**
 * Rewrites tables, because vacuum frees only pages at the end of a table, and none of an index. Takes time for the
 * remaining rows only.
 */
async function rewriteEmptied(db: Database, peakRows: PeakRows): Promise<void> {
  const tables = await db.query<{ name: string; rows: number; bytes: number }>(sql`
    select relname as name, reltuples::bigint as rows, pg_total_relation_size(oid) as bytes
    from pg_class
    where relnamespace = 'svc'::regnamespace and relkind = 'r' and reltuples >= 0`)
  for (const { name, rows, bytes } of tables) {
    const peak = Math.max(peakRows.get(name) ?? 0, rows)
    const isEmptied = rows <= peak / 4 && bytes > minRewrittenBytes
    if (isEmptied) await db.query(patientSql(`vacuum (full, analyze) svc.${quotedName(name)}`))
    peakRows.set(name, isEmptied ? rows : peak)
  }
}

/**
 * Writes a checkpoint, so that the log since the last one can be deleted: on disk it takes several times the size of
 * the documents. A server does this itself; the embedded database would keep the log until it is closed.
 */
export async function checkpoint(db: Database): Promise<void> {
  await db.query(patientSql('checkpoint'))
}

/** Returns the size of the log since the last checkpoint. Undefined if the engine manages it. */
export async function selectLogBytes(db: Database): Promise<number | undefined> {
  if (db.capabilities.checkpointsItself) return undefined
  const [log] = await db.query<{ bytes: number }>(
    sql`select (pg_current_wal_insert_lsn() - redo_lsn)::bigint as bytes from pg_control_checkpoint()`,
  )
  return log?.bytes
}

/** A table that could not be read, or whose rows violate an index. It was not changed. */
export interface Unread {
  readonly table: string
  readonly message: string
}

/**
 * Rebuilds all indexes, a table at a time, each in its own transaction. This reads all pages of the tables and of their
 * TOAST data, so tables without an error are sound. Every table has an index.
 */
export async function rebuildIndexes(db: Database): Promise<Unread[]> {
  const tables = await db.query<{ name: string }>(sql`
    select format('%I.%I', n.nspname, c.relname) as name
    from pg_class c
    join pg_namespace n on n.oid = c.relnamespace
    where c.relkind = 'r' and c.relhasindex
    order by n.nspname = 'pg_catalog' desc, c.relname`)
  const failed = await rebuild(
    db,
    tables.map(({ name }) => name),
  )
  // Retries, because a table may have failed for the index of another one that is rebuilt by now.
  return rebuild(
    db,
    failed.map(({ table }) => table),
  )
}

async function rebuild(db: Database, tables: readonly string[]): Promise<Unread[]> {
  const failed = []
  for (const table of tables) {
    try {
      await db.query(patientSql(`reindex table ${table}`))
    } catch (error) {
      if (!(error instanceof DatabaseError)) throw error
      failed.push({ table, message: error.message })
    }
  }
  return failed
}

/** A statement without parameters that may take minutes. */
export function patientSql(text: string): Sql {
  return { text, values: [], planned: 'each time', patient: true }
}

function quotedName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
