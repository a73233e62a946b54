import type { AuditedOperation, AuditRecord } from '../../client/protocol/model/access/audit.js'
import { type Database, nothing, sql, writing } from '../database/port.js'

export interface StoredAuditRecord extends AuditRecord {
  /** Greater than that of every earlier record. */
  readonly id: number
}

export async function insertAuditRecord(db: Database, project: string, record: AuditRecord): Promise<void> {
  const { operation, by, subject, requestId, at } = record
  await db.query(
    writing(sql`
    insert into audit_entries (project_id, operation, actor, subject, request_id, recorded_at)
    values (${project}, ${operation}, ${JSON.stringify(by)}::jsonb, ${JSON.stringify(subject)}::jsonb, ${requestId}, ${at})`),
  )
}

export interface AuditQuery {
  readonly operation?: AuditedOperation | undefined
  /** Only records with a smaller id. */
  readonly before?: number | undefined
  readonly limit: number
}

/** Returns the records of a project, newest first. */
export async function selectAuditRecords(
  db: Database,
  project: string,
  { operation, before, limit }: AuditQuery,
): Promise<StoredAuditRecord[]> {
  const rows = await db.query<AuditRow>(sql`
    select position::float8 as id, operation, actor, subject, request_id, recorded_at
    from audit_entries
    where project_id = ${project}
      ${operation === undefined ? nothing : sql`and operation = ${operation}`}
      ${before === undefined ? nothing : sql`and position < ${before}::bigint`}
    order by position desc
    limit ${limit}::int`)
  return rows.map((row) => ({
    id: row.id,
    operation: row.operation,
    by: JSON.parse(row.actor),
    subject: JSON.parse(row.subject),
    requestId: row.request_id,
    at: row.recorded_at,
  }))
}

export async function hasAuditRecords(db: Database, project: string): Promise<boolean> {
  return (await db.query(sql`select 1 as one from audit_entries where project_id = ${project} limit 1`)).length > 0
}

interface AuditRow {
  id: number
  operation: AuditedOperation
  actor: string
  subject: string
  request_id: string | null
  recorded_at: string
}

/**
 * Deletes records older than `before` and each project's oldest beyond `kept`, at most `most` of each. Returns how
 * many.
 */
export async function deleteOldAuditRecords(
  db: Database,
  { before, kept, most }: { readonly before: string; readonly kept: number; readonly most: number },
): Promise<number> {
  const rows = await db.query(sql`
    delete from audit_entries
    where position in (select position from audit_entries where recorded_at < ${before} order by recorded_at limit ${most}::int)
      or position in (
        select surplus.position
        from projects p
        cross join lateral (
          select a.position
          from audit_entries a
          where a.project_id = p.id
          order by a.position desc
          offset ${kept}::int
        ) surplus
        limit ${most}::int
      )
    returning position`)
  return rows.length
}
