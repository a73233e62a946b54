/** Stores the last attempts at anything limited: wrong passwords and codes, requests for mails. */
import { type Database, sql, writing } from '../../database/port.js'

interface AttemptsRow {
  readonly subject: string
  /** A JSON array. */
  readonly times: string
}

/** Returns the times of each subject in milliseconds since 1970, newest first. */
export async function selectAttempts(
  db: Database,
  project: string,
  subjects: readonly string[],
): Promise<Map<string, number[]>> {
  const rows = await db.query<AttemptsRow>(sql`
    select subject, to_jsonb(times) as times
    from recent_attempts
    where project_id = ${project} and subject = any(${subjects}::text[])`)
  return new Map(rows.map(({ subject, times }) => [subject, readTimes(times)]))
}

/** Loads and locks the times of a subject until the transaction ends. */
export async function lockAttempts(
  tx: Database,
  project: string,
  { subject, expiresAt }: { subject: string; expiresAt: string },
): Promise<number[]> {
  const [row] = await tx.query<AttemptsRow>(
    writing(sql`
    insert into recent_attempts as r (project_id, subject, times, expires_at)
    values (${project}, ${subject}, '{}', ${expiresAt})
    on conflict (project_id, subject) do update set expires_at = r.expires_at
    returning subject, to_jsonb(times) as times`),
  )
  return row ? readTimes(row.times) : []
}

interface Attempt {
  readonly at: string
  /** The number of a subject's newest times to keep. */
  readonly kept: number
  readonly expiresAt: string
}

/** Records an attempt for each of the subjects. */
export async function insertAttempts(
  db: Database,
  project: string,
  subjects: readonly string[],
  { at, kept, expiresAt }: Attempt,
): Promise<void> {
  await db.query(
    writing(sql`
    insert into recent_attempts as r (project_id, subject, times, expires_at)
    select ${project}, subject, array[${at}::timestamptz], ${expiresAt}::timestamptz
    from unnest(${subjects}::text[]) as subject
    order by subject
    on conflict (project_id, subject) do update
    set times = (array_prepend(${at}::timestamptz, r.times))[1:${kept}::int], expires_at = excluded.expires_at`),
  )
}

export async function deleteAttempts(db: Database, project: string, subject: string): Promise<void> {
  await db.query(sql`delete from recent_attempts where project_id = ${project} and subject = ${subject}`)
}

function readTimes(times: string): number[] {
  return (JSON.parse(times) as string[]).map((time) => Date.parse(time))
}
