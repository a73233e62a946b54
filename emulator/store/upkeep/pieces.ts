/** Deletes many rows in batches, each well within the time limit of a statement. */
import { type Database, type Fragment, identifier, nothing, sql } from '../../database/port.js'

interface Piece {
  readonly table: string
  /** The condition for deletion. Checked again for each row, because another statement may have changed it. */
  readonly test: Fragment
  /** The order of an index, so that only deleted rows are read. If omitted, rows are read in physical order. */
  readonly order?: Fragment
  readonly limit: number
}

/** Deletes some of the rows. Returns whether there may be more. */
export async function deletePiece(db: Database, { table, test, order, limit }: Piece): Promise<boolean> {
  const rows = await db.query(sql`
    delete from ${identifier(table)}
    where ctid = any (array(select ctid from ${identifier(table)} where ${test} ${order ? sql`order by ${order}` : nothing} limit ${limit}::int)) and ${test}
    returning 1 as one`)
  return rows.length === limit
}

/** Deletes some of a table's expired rows. Returns whether there may be more. */
export function deleteExpired(db: Database, table: string, at: string, limit: number): Promise<boolean> {
  return deletePiece(db, { table, test: sql`expires_at <= ${at}::timestamptz`, limit })
}
