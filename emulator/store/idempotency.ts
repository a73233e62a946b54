import { type Database, sql, writing } from '../database/port.js'

export interface KeptAnswer {
  readonly bodyHash: string
  readonly status: number
  readonly headers: string
  readonly answer: string
}

interface KeyPlace {
  readonly project: string
  readonly scope: string
  /** What is kept since before that moment is kept no more. */
  readonly expired: string
}

/** Keeps an answer under its key; fails if the key has one. Where another transaction has just taken it, this waits. */
export async function insertAnswer(
  tx: Database,
  { project, scope, expired, at }: KeyPlace & { readonly at: string },
  { bodyHash, status, headers, answer }: KeptAnswer,
): Promise<void> {
  // The count has the deletion come first.
  await tx.query(
    writing(sql`
    with gone as (
      delete from idempotency
      where project_id = ${project} and scope = ${scope} and created_at < ${expired}::timestamptz
      returning 1
    )
    insert into idempotency (project_id, scope, body_hash, status, headers, answer, created_at)
    select ${project}, ${scope}, ${bodyHash}, ${status}::int, ${headers}::jsonb, ${answer}, ${at}::timestamptz
    from (select count(*) from gone) as counted`),
  )
}

export async function selectAnswer(
  db: Database,
  { project, scope, expired }: KeyPlace,
): Promise<KeptAnswer | undefined> {
  const [row] = await db.query<{ body_hash: string; status: number; headers: string; answer: string }>(sql`
    select body_hash, status, headers, answer from idempotency
    where project_id = ${project} and scope = ${scope} and created_at >= ${expired}::timestamptz`)
  return row && { bodyHash: row.body_hash, status: row.status, headers: row.headers, answer: row.answer }
}

export async function deleteExpiredAnswers(db: Database, expired: string): Promise<void> {
  await db.query(sql`delete from idempotency where created_at < ${expired}::timestamptz`)
}
