import { type Database, sql } from '../database/database.js'

/** How often somebody has guessed wrong of late. */
export interface Failures {
  readonly subject: string
  readonly failures: number
  readonly lastAt: string
}

export async function selectFailures(db: Database, project: string, subjects: readonly string[]): Promise<Failures[]> {
  const rows = await db.query<{ subject: string; failures: number; last_at: string }>(sql`
    select subject, failures, last_at
    from failed_guesses
    where project_id = ${project} and subject = any(${subjects}::text[])`)
  return rows.map(({ subject, failures, last_at }) => ({ subject, failures, lastAt: last_at }))
}

/** Counts a wrong guess for each of the subjects; those before `forgotten` count no more. */
export async function countFailure(
  db: Database,
  project: string,
  subjects: readonly string[],
  { at, forgotten }: { at: string; forgotten: string },
): Promise<void> {
  await db.query(sql`
    insert into failed_guesses as g (project_id, subject, failures, last_at)
    select ${project}, subject, 1, ${at}::timestamptz
    from unnest(${subjects}::text[]) as subject
    order by subject
    on conflict (project_id, subject) do update
    set failures = case when g.last_at < ${forgotten}::timestamptz then 1 else g.failures + 1 end, last_at = ${at}`)
}

export async function deleteFailures(db: Database, project: string, subject: string): Promise<void> {
  await db.query(sql`delete from failed_guesses where project_id = ${project} and subject = ${subject}`)
}

export async function deleteOldFailures(db: Database, forgotten: string): Promise<void> {
  await db.query(sql`delete from failed_guesses where last_at < ${forgotten}`)
}
