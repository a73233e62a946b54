import { type Database, sql } from '../database/database.js'

/** Deletes some changes that are both older than `before` and beyond the newest `kept` of their project; how many. Contract 9.4. */
export async function trimChanges(
  db: Database,
  { before, kept, most }: { before: string; kept: number; most: number },
): Promise<number> {
  const rows = await db.query(sql`
    delete from changes
    where (project_id, seq) in (
      select c.project_id, c.seq
      from sequences s
      join changes c on c.project_id = s.project_id and c.seq <= s.last_seq - ${kept}::int
      where c.recorded_at < ${before}::timestamptz
      limit ${most}::int
    )
    returning 1 as one`)
  return rows.length
}
