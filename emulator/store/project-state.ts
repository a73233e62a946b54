/**
 * What a project keeps, emptied at once, in one transaction that begins with `lockState`; and a project that is deleted, which
 * takes no lock of a table that keeps others from writing.
 */
import { type Database, identifier, makingRoom, sql } from '../database/port.js'
import { isOrphan } from './files.js'
import { numberChangesFirst, pendingDocuments } from './realtime/numbering.js'
import { takeTime } from './snapshots/registry.js'

/**
 * Waits for open writes, and has later writes wait until the transaction ends, however long its statements
 * take. The tables are locked in the order in which writers take them.
 */
export async function lockState(tx: Database, project: string): Promise<void> {
  await tx.query(sql`lock table collections, users, documents, files in exclusive mode`)
  await takeTime(tx)
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

/**
 * Takes from a project what it is opened with and what is found by name. No key and no token is good any more; the documents
 * are left to `deleteRemovedDocuments`. Whether there was such a project.
 */
export async function closeProject(tx: Database, project: string): Promise<boolean> {
  await deleteCollections(tx, project)
  await tx.query(sql`delete from project_keys where project_id = ${project}`)
  const rows = await tx.query(
    makingRoom(sql`update projects set token_secret = default where id = ${project} returning 1 as one`),
  )
  return rows.length > 0
}

/** What a project may have many rows of, beside its documents and files. Each table has an index that begins with the project. */
export type LongPart = 'pending_changes' | 'changes' | 'idempotency' | 'recent_attempts' | 'mails' | 'users'

/** Deletes some rows of a part of a project, with what hangs on them; how many. Rows that others hold are passed over. */
export async function deleteSome(
  db: Database,
  project: string,
  { part, most }: { readonly part: LongPart; readonly most: number },
): Promise<number> {
  const table = identifier(part)
  const rows = await db.query(
    makingRoom(sql`
    delete from ${table}
    where ctid = any (array(
      select ctid from ${table} where project_id = ${project} limit ${most}::int for update skip locked
    ))
    returning 1 as one`),
  )
  return rows.length
}

/**
 * Deletes a project that was closed, with the few rows that have come since; not while it has files or snapshots, of which
 * there is more than rows.
 */
export async function deleteProject(tx: Database, project: string): Promise<'deleted' | 'gone' | 'not empty'> {
  // What empties or replaces a state locks these in this order, and numbers changes then. It does not wait for the row of their
  // numbers but asks again and again, which the database takes for no deadlock; so nothing is held here while the tables are waited for.
  await tx.query(sql`lock table snapshots, collections in row exclusive mode`)
  // What refers to the project waits for this, and is refused then. So does what numbers its changes.
  const found = await tx.query(sql`select 1 as one from projects where id = ${project} for update`)
  if (found.length === 0) return 'gone'
  await tx.query(sql`select 1 as one from sequences where project_id = ${project} for update`)
  const held = await tx.query(sql`
    select 1 as one
    where exists (select from files where project_id = ${project})
      or exists (select from snapshots where project_id = ${project})`)
  if (held.length > 0) return 'not empty'
  await deleteCollections(tx, project)
  await tx.query(makingRoom(sql`delete from pending_changes where project_id = ${project}`))
  await tx.query(makingRoom(sql`delete from changes where project_id = ${project}`))
  await tx.query(makingRoom(sql`delete from projects where id = ${project}`))
  return 'deleted'
}

/** There may be a million of them. */
function patiently(statement: Parameters<typeof makingRoom>[0]) {
  return { ...makingRoom(statement), patient: true }
}
