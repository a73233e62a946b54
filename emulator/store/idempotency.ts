import { type Database, type Fragment, sql, writing } from '../database/port.js'
import { deletePiece } from './upkeep/pieces.js'

export interface KeptAnswer {
  readonly bodyHash: string
  readonly status: number
  readonly headers: string
  readonly answer: string
}

/** The period whose answers are still kept. */
export interface KeptTimes {
  readonly from: string
  /** Later answers were given while a clock was ahead. */
  readonly to: string
}

interface AnswerKey {
  readonly project: string
  readonly scope: string
  readonly kept: KeptTimes
}

/** Stores an answer under its key. Fails if the key has one, and waits for a transaction that has just taken it. */
export async function insertAnswer(
  tx: Database,
  { project, scope, kept, at }: AnswerKey & { readonly at: string },
  { bodyHash, status, headers, answer }: KeptAnswer,
): Promise<void> {
  // Counts the deleted rows, so that the deletion runs first.
  await tx.query(
    writing(sql`
    with gone as (
      delete from idempotency
      where project_id = ${project} and scope = ${scope} and not (${isKept(kept)})
      returning 1
    )
    insert into idempotency (project_id, scope, body_hash, status, headers, answer, created_at)
    select ${project}, ${scope}, ${bodyHash}, ${status}::int, ${headers}::jsonb, ${answer}, ${at}::timestamptz
    from (select count(*) from gone) as counted`),
  )
}

export async function selectAnswer(db: Database, { project, scope, kept }: AnswerKey): Promise<KeptAnswer | undefined> {
  const [row] = await db.query<{ body_hash: string; status: number; headers: string; answer: string }>(sql`
    select body_hash, status, headers, answer from idempotency
    where project_id = ${project} and scope = ${scope} and ${isKept(kept)}`)
  return row && { bodyHash: row.body_hash, status: row.status, headers: row.headers, answer: row.answer }
}

/** Deletes some expired answers. Returns whether there may be more. */
export function deleteFormerAnswers(db: Database, { from }: KeptTimes, limit: number): Promise<boolean> {
  const test = sql`created_at < ${from}::timestamptz`
  return deletePiece(db, { table: 'idempotency', test, order: sql`created_at`, limit })
}

/** Deletes some answers from a time when a clock was ahead. Returns whether there may be more. */
export function deleteAnswersAhead(db: Database, { to }: KeptTimes, limit: number): Promise<boolean> {
  const test = sql`created_at > ${to}::timestamptz`
  return deletePiece(db, { table: 'idempotency', test, order: sql`created_at desc`, limit })
}

function isKept({ from, to }: KeptTimes): Fragment {
  return sql`created_at between ${from}::timestamptz and ${to}::timestamptz`
}
