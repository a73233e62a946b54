/** What some engines do for themselves in the background, and the others do not; and what is done where data are damaged. */
import { type Database, DatabaseError, type Sql, sql } from '../../database/port.js'

interface TableRow {
  name: string
  wants_vacuum: boolean
  wants_analyze: boolean
}

/** A table that has lost three quarters of its rows is rewritten to give its space back, if it takes more than this. */
const leastRewrittenBytes = 16 * 1024 * 1024

/** The most rows that each table had since it was rewritten, as far as this process has seen. */
export type MostRows = Map<string, number>

/**
 * Clears away dead rows, marks pages whose rows are visible to all transactions, so that an index alone answers for them, and takes new
 * statistics where much has changed, as autovacuum would and by its rules. A table at
 * a time, so that requests get in between. The entries that wait beside the index over all data are put in their places,
 * because every search reads all that wait.
 */
export async function tidyTables(db: Database, mostRows: MostRows = new Map()): Promise<void> {
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
  await rewriteEmptied(db, mostRows)
  await db.query(
    patientSql(`select gin_clean_pending_list(i.indexrelid)
      from pg_index i
      join pg_class c on c.oid = i.indexrelid
      join pg_am a on a.oid = c.relam
      where i.indrelid = 'svc.documents'::regclass and a.amname = 'gin' and i.indisvalid`),
  )
}

/** Vacuum gives back pages at the end of a table only, and none of an index. A rewrite takes as long as the rows that are left do. */
async function rewriteEmptied(db: Database, mostRows: MostRows): Promise<void> {
  const tables = await db.query<{ name: string; rows: number; bytes: number }>(sql`
    select relname as name, reltuples::bigint as rows, pg_total_relation_size(oid) as bytes
    from pg_class
    where relnamespace = 'svc'::regnamespace and relkind = 'r' and reltuples >= 0`)
  for (const { name, rows, bytes } of tables) {
    const most = Math.max(mostRows.get(name) ?? 0, rows)
    const isEmptied = rows <= most / 4 && bytes > leastRewrittenBytes
    if (isEmptied) await db.query(patientSql(`vacuum (full, analyze) svc.${quotedName(name)}`))
    mostRows.set(name, isEmptied ? rows : most)
  }
}

/**
 * Writes the pages out, so that the log of what was written since the last time can go: on disk it takes several times what the
 * documents take. A server has a process for it; the embedded database would keep the log until it is closed.
 */
export async function checkpoint(db: Database): Promise<void> {
  await db.query(patientSql('checkpoint'))
}

/** How long the log is since the last checkpoint; undefined where the engine takes care of it. */
export async function selectLogBytes(db: Database): Promise<number | undefined> {
  if (db.capabilities.checkpointsItself) return undefined
  const [log] = await db.query<{ bytes: number }>(
    sql`select (pg_current_wal_insert_lsn() - redo_lsn)::bigint as bytes from pg_control_checkpoint()`,
  )
  return log?.bytes
}

/** A table that could not be read, or whose rows its indexes refuse; it is as it was. */
export interface Unread {
  readonly table: string
  readonly message: string
}

/**
 * Builds every index of every table anew, a table at a time, each in a transaction of its own. It reads all pages of the tables,
 * and of what is stored beside them (TOAST), so what has not failed is sound. Every table has an index.
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
  // A table may have failed for the index of another one, which is rebuilt by now.
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
