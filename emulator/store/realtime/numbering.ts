/**
 * Numbers changes. If one transaction runs at a time, each change is written with the next number. If transactions run
 * concurrently, changes wait in `pending_changes`, and each reader first numbers the committed ones. So an open
 * transaction blocks no other, and its changes get later numbers.
 */
import { type Database, type Fragment, sql } from '../../database/port.js'

/** The batch that is numbered while the project's row is locked. */
const batchSize = 2_000
/**
 * The wait for another process that numbers. While a state is replaced, the project's row is locked and nothing else
 * writes.
 */
const patienceMilliseconds = 2_000

/** Numbers all committed changes of a project. Waits a while if another transaction is doing that. */
export async function numberChanges(db: Database, project: string): Promise<void> {
  if (!db.capabilities.runsWritersTogether) return
  while ((await hasPending(db, project)) && (await numberSome(db, project)) === batchSize);
}

/** Numbers changes in a transaction that blocks writers, so that its own changes come after all of theirs. */
export async function numberChangesFirst(tx: Database, project: string): Promise<void> {
  if (!tx.capabilities.runsWritersTogether) return
  for (;;) {
    const numbered = await numberSome(tx, project)
    if (numbered !== null && numbered < batchSize) return
  }
}

/** Numbers the changes of all projects. */
export async function numberAllChanges(db: Database): Promise<void> {
  if (!db.capabilities.runsWritersTogether) return
  const rows = await db.query<{ project_id: string }>(sql`
    select project_id from sequences s
    where exists (select from pending_changes) and exists (select from pending_changes p where p.project_id = s.project_id)`)
  for (const { project_id: project } of rows) await numberChanges(db, project)
}

/** Counts created minus deleted documents among the unnumbered changes of a collection. */
export function pendingDocuments(project: Fragment, collection: Fragment): Fragment {
  return sql`(
      select count(*) filter (where p.kind = 'created') - count(*) filter (where p.kind = 'deleted')
      from pending_changes p
      where p.project_id = ${project} and p.collection_id = ${collection}
    )`
}

async function hasPending(db: Database, project: string): Promise<boolean> {
  const [row] = await db.query<{ has_pending: boolean }>(
    sql`select exists (select from pending_changes where project_id = ${project}) as has_pending`,
  )
  return row?.has_pending === true
}

/** Returns how many; null if another transaction is still numbering the project. */
async function numberSome(db: Database, project: string): Promise<number | null> {
  const [row] = await db.query<{ numbered: number | null }>(
    sql`select number_changes(${project}, ${batchSize}::int, ${patienceMilliseconds}::int) as numbered`,
  )
  return row?.numbered ?? null
}
