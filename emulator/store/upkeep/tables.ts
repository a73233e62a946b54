/** What some engines do for themselves in the background, and the others do not; and what is done where data are damaged. */
import { type Database, DatabaseError, type Sql, sql } from '../../database/port.js'

interface TableRow {
  name: string
  wants_vacuum: boolean
  wants_analyze: boolean
}

/**
 * Clears away dead rows, marks pages whose rows are visible to all transactions, so that an index alone answers for them, and takes new
 * statistics where much has changed, as autovacuum would and by its rules. A table at
 * a time, so that requests get in between. The entries that wait beside the index over all data are put in their places,
 * because every search reads all that wait.
 */
export async function tidyTables(db: Database): Promise<void> {
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
  await db.query(
    patientSql(`select gin_clean_pending_list(i.indexrelid)
      from pg_index i
      join pg_class c on c.oid = i.indexrelid
      join pg_am a on a.oid = c.relam
      where i.indrelid = 'svc.documents'::regclass and a.amname = 'gin' and i.indisvalid`),
  )
}

/**
 * Writes the pages out, so that the log of what was written since the last time can go: on disk it takes several times what the
 * documents take. A server has a process for it; the embedded database would keep the log until it is closed.
 *
 * @returns whether there was enough to be worth it
 */
export async function checkpoint(db: Database, mostLogBytes: number): Promise<boolean> {
  if (db.capabilities.checkpointsItself) return false
  const [log] = await db.query<{ bytes: number }>(
    sql`select (pg_current_wal_insert_lsn() - redo_lsn)::bigint as bytes from pg_control_checkpoint()`,
  )
  if (!log || log.bytes <= mostLogBytes) return false
  await db.query(patientSql('checkpoint'))
  return true
}

export interface Rebuilt {
  /** How many tables have their indexes anew. */
  readonly tables: number
  /** Tables that could not be read, or whose rows their indexes refuse; they are as they were. */
  readonly failed: readonly { readonly table: string; readonly message: string }[]
}

/**
 * Builds every index of every table anew, a table at a time, each in a transaction of its own. It reads all pages of the tables,
 * and of what is stored beside them (TOAST), so what has not failed is sound. Every table has an index.
 */
export async function rebuildIndexes(db: Database): Promise<Rebuilt> {
  const tables = await db.query<{ name: string }>(sql`
    select format('%I.%I', n.nspname, c.relname) as name
    from pg_class c
    join pg_namespace n on n.oid = c.relnamespace
    where c.relkind = 'r' and c.relhasindex
    order by n.nspname = 'pg_catalog' desc, c.relname`)
  const names = tables.map(({ name }) => name)
  // The first round may have mended the index of a catalog that another table needed.
  const failed = await rebuild(
    db,
    (await rebuild(db, names)).map(({ table }) => table),
  )
  return { tables: names.length - failed.length, failed }
}

async function rebuild(db: Database, names: readonly string[]): Promise<Rebuilt['failed']> {
  const failed = []
  for (const table of names) {
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
