/** What a project keeps, emptied at once. All of this belongs into one transaction that begins with `lockState`. */
import { type Database, makingRoom, sql } from '../database/port.js'
import { isOrphan } from './files.js'
import { numberChangesFirst, pendingDocuments } from './realtime/numbering.js'
import { dropStrayTables } from './snapshots/delete.js'

/**
 * Waits for open writes, and has later writes wait until the transaction ends, however long its statements
 * take. The tables are locked in the order in which writers take them.
 */
export async function lockState(tx: Database, project: string): Promise<void> {
  await tx.query(sql`lock table collections, users, documents, files in exclusive mode`)
  await tx.query({ text: 'set local statement_timeout = 0', values: [], patient: true })
  // What follows counts documents anew, and draws numbers after theirs.
  await numberChangesFirst(tx, project)
}

export interface CountedName {
  readonly id: string
  readonly name: string
  readonly documents: number
}

/** The collections of a project with the number of their documents, the oldest first. */
export async function selectCountedNames(db: Database, project: string): Promise<CountedName[]> {
  return db.query<{ id: string; name: string; documents: number }>(sql`
    select c.id, c.name, n.documents + ${pendingDocuments(sql`c.project_id`, sql`c.id`)} as documents
    from collections c
    join document_counts n on n.collection_id = c.id
    where c.project_id = ${project}
    order by c.id`)
}

/** Takes all collections away and leaves their documents, which are unreachable then, to `deleteRemovedDocuments`. */
export async function deleteCollections(tx: Database, project: string): Promise<void> {
  await tx.query(
    makingRoom(sql`
    with removed as (delete from collections where project_id = ${project} returning id)
    update document_counts set is_removed = true where collection_id in (select id from removed)`),
  )
}

/** Deletes all documents of these collections and orphans their files. The collections stay, with what indexes they have. */
export async function deleteAllDocuments(tx: Database, collections: readonly string[]): Promise<void> {
  await tx.query(
    makingRoom(sql`
    update files set document_id = null, collection_id = null where collection_id = any(${collections}::uuid[])`),
  )
  await tx.query(patiently(sql`delete from documents where collection_id = any(${collections}::uuid[])`))
  await tx.query(
    makingRoom(sql`update document_counts set documents = 0 where collection_id = any(${collections}::uuid[])`),
  )
}

/** Deletes all users with everything that hangs on one, and every login that is on its way; how many users there were. */
export async function deleteUsers(tx: Database, project: string): Promise<number> {
  const counted = await tx.query<{ users: number }>(sql`select users from user_counts where project_id = ${project}`)
  await tx.query(patiently(sql`delete from users where project_id = ${project}`))
  await tx.query(makingRoom(sql`update user_counts set users = 0 where project_id = ${project}`))
  await tx.query(sql`delete from idp_logins where project_id = ${project}`)
  await tx.query(sql`delete from recent_attempts where project_id = ${project}`)
  await tx.query(sql`delete from realtime_tickets where project_id = ${project} and user_id is not null`)
  return counted[0]?.users ?? 0
}

/** Orphans the files that stay by themselves; how many there were. */
export async function orphanStandingFiles(tx: Database, project: string): Promise<number> {
  const rows = await tx.query(
    makingRoom(sql`update files set stays = false where project_id = ${project} and stays returning 1 as one`),
  )
  return rows.length
}

/** Orphans all files, whatever they belong to; how many there were. */
export async function orphanAllFiles(tx: Database, project: string): Promise<number> {
  const rows = await tx.query(
    makingRoom(sql`
    update files f
    set stays = false, document_id = null, collection_id = null, user_id = null
    where f.project_id = ${project} and not (${isOrphan})
    returning 1 as one`),
  )
  return rows.length
}

/** Deletes the answers that are kept for idempotency keys: they tell of what is gone. */
export async function deleteAnswers(tx: Database, project: string): Promise<void> {
  await tx.query(sql`delete from idempotency where project_id = ${project}`)
}

/** The files of a project, those that only its snapshots hold among them. */
export async function selectAllFileIds(tx: Database, project: string): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(sql`
    select f.id from files f where f.project_id = ${project}
    union
    select h.file_id from snapshot_files h join snapshots s on s.id = h.snapshot_id where s.project_id = ${project}`)
  return rows.map(({ id }) => id)
}

/** Deletes a project with all that it keeps but its audit log; its documents are left to `deleteRemovedDocuments`. Whether there was one. */
export async function deleteProject(tx: Database, project: string): Promise<boolean> {
  await deleteCollections(tx, project)
  await tx.query(patiently(sql`delete from pending_changes where project_id = ${project}`))
  await tx.query(patiently(sql`delete from changes where project_id = ${project}`))
  const rows = await tx.query(patiently(sql`delete from projects where id = ${project} returning 1 as one`))
  await dropStrayTables(tx)
  return rows.length > 0
}

/** There may be a million of them. */
function patiently(statement: Parameters<typeof makingRoom>[0]) {
  return { ...makingRoom(statement), patient: true }
}
