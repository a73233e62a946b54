import { type Database, sql } from '../../database/port.js'

/** Tells the other processes which projects have been written to, and by whom. */
export async function notifyWritten(
  db: Database,
  channel: string,
  sender: string,
  projects: readonly string[],
): Promise<void> {
  await db.query(sql`
    select count(pg_notify(${channel}, ${sender} || ' ' || project))::int as told
    from unnest(${projects}::text[]) as project`)
}
