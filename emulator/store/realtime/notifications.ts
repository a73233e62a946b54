import { type Database, sql } from '../../database/port.js'

/** Sends notifications to every process that listens to the channel. */
export async function notify(db: Database, channel: string, payloads: readonly string[]): Promise<void> {
  await db.query(sql`
    select count(pg_notify(${channel}, payload))::int as notified
    from unnest(${payloads}::text[]) as payload`)
}

/** Counts the connections of that name to this database. */
export async function countListeners(db: Database, name: string): Promise<number> {
  const [row] = await db.query<{ listeners: number }>(sql`
    select count(*)::int as listeners
    from pg_stat_activity
    where application_name = ${name} and datname = current_database()`)
  return row?.listeners ?? 0
}
