import { type Database, sql } from '../database/port.js'

/** Checks that the database answers. @throws {DatabaseError} */
export async function ping(db: Database): Promise<void> {
  await db.query(sql`select 1 as answer`)
}
