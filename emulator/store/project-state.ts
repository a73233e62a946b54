/**
 * Empties the state of a project in one transaction that begins with `lockState`. Deletes a project without a table
 * lock that would block writers.
 */
import { type Database, identifier, makingRoom, sql } from '../database/port.js'
import { isOrphan } from './files.js'
import { pendingDocuments, sequencerFor } from './sequencer/sequencer.js'
import { disableTimeouts } from './snapshots/registry.js'

/**
 * Waits for open writes and blocks later ones until the transaction ends, however long its statements take. Locks the
 * tables in the same order as writers.
 */
export async function lockState(tx: Database, project: string): Promise<void> {
  await tx.query(sql`lock table collections, users, documents, files in exclusive mode`)
  await disableTimeouts(tx)
  // The next statements count documents, and draw later numbers.
  await sequencerFor(tx).numberFirst(tx, project)
}

export interface CountedName {
  readonly id: string
  readonly name: string
  readonly documents: number
}

/** Returns the collections of a project with their document counts, oldest first. */
export async function selectCountedNames(db: Database, project: string): Promise<CountedName[]> {
  return db.query<{ id: string; name: string; documents: number }>(sql`
    select c.id, c.name, n.documents + ${pendingDocuments(sql`c.project_id`, sql`c.id`)} as documents
    from collections c
    join document_counts n on n.collection_id = c.id
    where c.project_id = ${project}
    order by c.id`)
}

/** Removes all collections. Their documents are unreachable, and `deleteRemovedDocuments` deletes them. */
export async function deleteCollections(tx: Database, project: string): Promise<void> {
  await tx.query(
    makingRoom(sql`
    with removed as (delete from collections where project_id = ${project} returning id)
    update document_counts set is_removed = true where collection_id in (select id from removed)`),
  )
}

/** Deletes all documents of these collections and orphans their files. Keeps the collections and their indexes. */
export async function deleteAllDocuments(tx: Database, collections: readonly string[]): Promise<void> {
  await tx.query(
    makingRoom(sql`
    update files set document_id = null, collection_id = null where collection_id = any(${collections}::uuid[])`),
  )
  await tx.query(patiently(sql`delete from documents where collection_id = any(${collections}::uuid[])`))
  await tx.query(patiently(sql`delete from unique_values where collection_id = any(${collections}::uuid[])`))
  await tx.query(
    makingRoom(sql`update document_counts set documents = 0 where collection_id = any(${collections}::uuid[])`),
  )
}

/** Deletes all users with their dependent rows, and all pending logins. Returns the number of users. */
export async function deleteUsers(tx: Database, project: string): Promise<number> {
  const counted = await tx.query<{ users: number }>(sql`select users from user_counts where project_id = ${project}`)
  await tx.query(patiently(sql`delete from users where project_id = ${project}`))
  await tx.query(makingRoom(sql`update user_counts set users = 0 where project_id = ${project}`))
  await tx.query(sql`delete from idp_logins where project_id = ${project}`)
  await tx.query(sql`delete from recent_attempts where project_id = ${project}`)
  await tx.query(sql`delete from realtime_tickets where project_id = ${project} and user_id is not null`)
  return counted[0]?.users ?? 0
}

/** Orphans the files without an owner, and returns how many. */
export async function orphanStandingFiles(tx: Database, project: string): Promise<number> {
  const rows = await tx.query(
    makingRoom(sql`update files set stays = false where project_id = ${project} and stays returning 1 as one`),
  )
  return rows.length
}

/** Orphans all files, whatever their owner, and returns how many. */
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

/** Deletes the answers stored for idempotency keys, because they describe deleted data. */
export async function deleteAnswers(tx: Database, project: string): Promise<void> {
  await tx.query(sql`delete from idempotency where project_id = ${project}`)
}

/**
 * Closes a project: its keys, tokens and collections are no longer valid. `deleteRemovedDocuments` deletes the
 * documents. Returns whether the project existed.
 */
export async function closeProject(tx: Database, project: string): Promise<boolean> {
  await deleteCollections(tx, project)
  await tx.query(sql`delete from project_keys where project_id = ${project}`)
  const rows = await tx.query(
    makingRoom(sql`update projects set token_secret = default where id = ${project} returning 1 as one`),
  )
  return rows.length > 0
}

/**
 * Tables that may have many rows of a project, besides documents and files. Each has an index that begins with the
 * project.
 */
export type LongPart = 'pending_changes' | 'changes' | 'idempotency' | 'recent_attempts' | 'mails' | 'users'

/** Deletes some rows of a part of a project with their dependent rows, and returns how many. Skips locked rows. */
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
 * Deletes a closed project, and the few rows added since. Refuses while it has files or snapshots, which have more than
 * rows.
 */
export async function deleteProject(tx: Database, project: string): Promise<'deleted' | 'gone' | 'not empty'> {
  // Takes the same locks in the same order as operations that empty or replace a state and then number changes. Those
  // poll for the project's row, which the database cannot detect as a deadlock; so nothing is locked here while waiting
  // for tables.
  await tx.query(sql`lock table snapshots, collections in row exclusive mode`)
  // Inserts that reference the project wait for this and then fail. Numbering its changes waits too.
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

/** Deletes up to a million rows. */
function patiently(statement: Parameters<typeof makingRoom>[0]) {
  return { ...makingRoom(statement), patient: true }
}
