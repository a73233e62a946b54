/**
 * When changes get their numbers. Where one transaction runs at a time, each change is written with the next one. Where many run
 * beside one another, a change waits in `pending_changes`, and each reader of changes numbers what is committed first: a
 * transaction that stays open holds up no other, and what it has written gets later numbers.
 */
import { type Database, type Fragment, sql } from '../../database/port.js'

/** What gets its numbers at once, while the project's row is locked. */
const most = 2_000
/** For who else is numbering. A state that is being replaced holds the project's row until it is whole, and no other transaction writes meanwhile. */
const patienceMilliseconds = 2_000

/** Gives every change of a project that is committed its number. Where another transaction is at it, waits a while for that. */
export async function numberChanges(db: Database, project: string): Promise<void> {
  if (!db.capabilities.runsWritersTogether) return
  while ((await hasPending(db, project)) && (await numberSome(db, project)) === most);
}

/** The same in a transaction that keeps writers out: whatever it goes on to number follows all that they have written. */
export async function numberChangesFirst(tx: Database, project: string): Promise<void> {
  if (!tx.capabilities.runsWritersTogether) return
  for (;;) {
    const numbered = await numberSome(tx, project)
    if (numbered !== null && numbered < most) return
  }
}

/** Gives the changes of all projects their numbers. */
export async function numberAllChanges(db: Database): Promise<void> {
  if (!db.capabilities.runsWritersTogether) return
  const rows = await db.query<{ project_id: string }>(sql`
    select project_id from sequences s
    where exists (select from pending_changes) and exists (select from pending_changes p where p.project_id = s.project_id)`)
  for (const { project_id: project } of rows) await numberChanges(db, project)
}

/** How many documents of a collection were created more than deleted by changes that are not numbered yet. */
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

/** How many; null where another transaction is numbering the project, and has not come to an end. */
async function numberSome(db: Database, project: string): Promise<number | null> {
  const [row] = await db.query<{ numbered: number | null }>(
    sql`select number_changes(${project}, ${most}::int, ${patienceMilliseconds}::int) as numbered`,
  )
  return row?.numbered ?? null
}
