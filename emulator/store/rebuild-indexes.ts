import { type Database, DatabaseError, sql } from '../database/port.js'
import { patientSql } from './upkeep.js'

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
