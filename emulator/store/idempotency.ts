import { type Database, sql } from '../database/database.js'

export interface KeptAnswer {
  readonly bodyHash: string
  readonly status: number
  readonly headers: string
  readonly answer: string
}

/**
 * Takes a key for this transaction; `false` if it is taken. Where another transaction is about to take the same
 * key, this waits for its end.
 */
export async function claimKey(
  tx: Database,
  project: string,
  scope: string,
  bodyHash: string,
  at: string,
  expired: string,
): Promise<boolean> {
  const rows = await tx.query(sql`
    insert into idempotency (project_id, scope, body_hash, status, headers, answer, created_at)
    values (${project}, ${scope}, ${bodyHash}, 0, '{}', '', ${at})
    on conflict (project_id, scope) do update
      set body_hash = excluded.body_hash, status = 0, headers = '{}', answer = '', created_at = excluded.created_at
      where idempotency.created_at < ${expired}::timestamptz
    returning 1 as one`)
  return rows.length > 0
}

export async function selectAnswer(tx: Database, project: string, scope: string): Promise<KeptAnswer | undefined> {
  const [row] = await tx.query<{ body_hash: string; status: number; headers: string; answer: string }>(sql`
    select body_hash, status, headers, answer from idempotency where project_id = ${project} and scope = ${scope}`)
  return row && { bodyHash: row.body_hash, status: row.status, headers: row.headers, answer: row.answer }
}

export async function writeAnswer(
  tx: Database,
  project: string,
  scope: string,
  { status, headers, answer }: Omit<KeptAnswer, 'bodyHash'>,
): Promise<void> {
  await tx.query(sql`
    update idempotency set status = ${status}::int, headers = ${headers}::jsonb, answer = ${answer}
    where project_id = ${project} and scope = ${scope}`)
}

export async function deleteExpiredAnswers(db: Database, expired: string): Promise<void> {
  await db.query(sql`delete from idempotency where created_at < ${expired}::timestamptz`)
}
