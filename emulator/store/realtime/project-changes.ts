/** Queries across all projects and collections, for the stream of all events. */
import { type Database, sql } from '../../database/port.js'
import { sequencerFor } from '../sequencer/sequencer.js'

/** Returns the newest number of each project. */
export async function selectLastNumbers(db: Database): Promise<ReadonlyMap<string, number>> {
  await sequencerFor(db).numberAll(db)
  const rows = await db.query<{ project_id: string; last_seq: number }>(sql`select project_id, last_seq from sequences`)
  return new Map(rows.map(({ project_id, last_seq }) => [project_id, last_seq]))
}

/** Returns the names of existing collections by id. */
export async function selectCollectionNames(
  db: Database,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await db.query<{ id: string; name: string }>(
    sql`select id, name from collections where id = any(${ids}::uuid[])`,
  )
  return new Map(rows.map(({ id, name }) => [id, name]))
}
