import { type Database, sql } from '../../database/port.js'

/** Sends notifications to every process that listens to the channel. */
export async function notify(db: Database, channel: string, payloads: readonly string[]): Promise<void> {
  await db.query(sql`
    select count(pg_notify(${channel}, payload))::int as notified
    from unnest(${payloads}::text[]) as payload`)
}
