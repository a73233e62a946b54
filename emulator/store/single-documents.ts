/** Writes single documents, each in one statement without a transaction around it. */
import { type Database, type Fragment, sql, writing } from '../database/port.js'
import {
  columns,
  type DocumentRow,
  fromRow,
  isOpen,
  type NewData,
  type WriteTarget,
  type Written,
  writtenColumns,
} from './documents.js'
import { isLinkedFrom, lockingLinks } from './links.js'
import { type Covered, isCovered } from './memberships.js'
import { sequencerFor } from './sequencer/sequencer.js'
import { claimedValues, freedValues, releasedValues, type ValueChanges } from './unique-values.js'

/**
 * Writes the new data of a document and records the change, in one statement. Returns nothing if the version differs,
 * or if a linked record is gone.
 *
 * @param values the values of unique fields that change
 */
export async function updateDocument(
  db: Database,
  target: WriteTarget,
  { id, json, links = [] }: NewData,
  version: number,
  { released, claimed }: ValueChanges = { released: [], claimed: [] },
): Promise<Written> {
  const { collection } = target
  const { locking, areThere } = lockingLinks(db, target.project, links)
  const { recording, seq } = sequencerFor(db).recordChanges(target, {
    ...{ kind: 'updated', affected: sql`written`, count: 1, condition: sql`exists (select from written)` },
  })
  const rows = await db.query<DocumentRow & Pick<Written, 'seq'>>(
    writing(sql`
    with ${locking}written as (
      update documents d set data = ${json}::jsonb, version = d.version + 1, updated_at = ${target.at}::timestamptz
      from documents old
      where d.id = ${id} and ${isOpen(db, collection)}
        and d.version = ${version}::int and old.id = d.id ${areThere}
      returning ${columns}, old.data as before, old.updated_at as before_updated_at
    )${releasedValues(collection.id, released, sql`written`)}${claimedValues(collection.id, claimed, sql`written`)},
    ${recording}
    select ${writtenColumns}, ${seq} as seq from written`),
  )
  return { documents: rows.map((row) => fromRow(row, collection)), seq: rows[0]?.seq ?? null }
}

/**
 * Deletes a document, updates the count and records the change, in one statement. With concurrent writers, another
 * statement locks the document first: the deletion then sees all links that others have committed. Does nothing if the version does not
 * match, if it has files (which have to be orphaned too), if links with `onDelete` may lead to it, or if it is not in
 * the given part of the collection.
 */
export async function deleteDocument(
  db: Database,
  target: WriteTarget,
  id: string,
  versions: readonly number[] | 'any',
  part?: Covered,
): Promise<Pick<Written, 'seq'> & { readonly isDeleted: boolean }> {
  const { collection } = target
  const atVersion = versions === 'any' ? sql`true` : sql`d.version = any(${versions.map(String)}::bigint[])`
  const { recording, seq } = sequencerFor(db).recordDeletion(target, 1)
  const deletion = writing(sql`
    with deleted as (
      delete from documents d
      where d.id = ${id} and ${isOpen(db, collection)}
        and ${atVersion} and ${isCovered(part)}
        and not exists (select from files f where f.document_id = d.id)
        and not ${isLinkedFrom(target.project, collection.id)}
      returning ${columns}, null::jsonb as before, d.updated_at as before_updated_at
    )${freedValues(collection, sql`deleted`)}, ${recording}
    select ${seq} as seq, exists (select from deleted) as is_deleted`)
  type Row = Pick<Written, 'seq'> & { is_deleted: boolean }
  const [written] = db.capabilities.runsTransactionsTogether
    ? ((await db.batch([lockedForDeletion(id), deletion]))[1] as Row[])
    : await db.query<Row>(deletion)
  return { seq: written?.seq ?? null, isDeleted: written?.is_deleted ?? false }
}

function lockedForDeletion(id: string): Fragment {
  return sql`select 1 as one from documents d where d.id = ${id} for update`
}
