/** What may be many rows is deleted in pieces, each of which fits well into the time that a statement may take. */
import { type Database, type Fragment, identifier, nothing, sql } from '../../database/port.js'

interface Piece {
  readonly table: string
  /** Which rows go. It is asked again of each as it goes: another statement may have changed it meanwhile. */
  readonly test: Fragment
  /** The order of an index, by which no row is read that stays. Left out where none has it: then the rows are read as they stand. */
  readonly order?: Fragment
  readonly most: number
}

/** Deletes some of the rows; whether there may be more. */
export async function deletePiece(db: Database, { table, test, order, most }: Piece): Promise<boolean> {
  const rows = await db.query(sql`
    delete from ${identifier(table)}
    where ctid = any (array(select ctid from ${identifier(table)} where ${test} ${order ? sql`order by ${order}` : nothing} limit ${most}::int)) and ${test}
    returning 1 as one`)
  return rows.length === most
}

/** Deletes some of the rows of a table that have expired by then; whether there may be more. */
export function deleteExpired(db: Database, table: string, at: string, most: number): Promise<boolean> {
  return deletePiece(db, { table, test: sql`expires_at <= ${at}::timestamptz`, most })
}
