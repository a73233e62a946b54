/** Writes of one document, each a statement that needs no transaction around it. */
import { type Database, sql, writing } from '../database/port.js'
import { isOf } from './creators.js'
import {
  columns,
  type DocumentRow,
  fromRow,
  isOpen,
  type NewData,
  type WritePlace,
  type Written,
  writtenColumns,
} from './documents.js'
import { recorded, recordedDeletion } from './recording.js'

/** Writes the new data of one document and records the change, in one statement; nothing if it is at another version. */
export async function updateDocument(
  db: Database,
  place: WritePlace,
  { id, json }: NewData,
  version: number,
): Promise<Written> {
  const { recording, seq } = recorded(db, place, 'updated', sql`written`, 1, sql`exists (select from written)`)
  const rows = await db.query<DocumentRow & Pick<Written, 'seq'>>(
    writing(sql`
    with written as (
      update documents d set data = ${json}::jsonb, version = d.version + 1, updated_at = ${place.at}::timestamptz
      from documents old
      where d.id = ${id} and d.collection_id = ${place.collection.id} and ${isOpen(place.collection)}
        and d.version = ${version}::int and old.id = d.id
      returning ${columns}, old.data as before, old.updated_at as before_updated_at
    ), ${recording}
    select ${writtenColumns}, ${seq} as seq from written`),
  )
  return { documents: rows.map((row) => fromRow(row, place.collection)), seq: rows[0]?.seq ?? null }
}

/**
 * Deletes one document, counts it off and records the change, in one statement. Nothing if it is at none of these versions,
 * or has files, which have to be orphaned with it; nor if another user created it than `creator`, where that is given.
 */
export async function deleteDocument(
  db: Database,
  place: WritePlace,
  id: string,
  versions: readonly number[] | 'any',
  creator?: string,
): Promise<Pick<Written, 'seq'> & { readonly isDeleted: boolean }> {
  const { collection } = place
  const atVersion = versions === 'any' ? sql`true` : sql`d.version = any(${versions.map(String)}::bigint[])`
  const { recording, seq } = recordedDeletion(db, place, 1)
  const [written] = await db.query<Pick<Written, 'seq'> & { is_deleted: boolean }>(
    writing(sql`
    with deleted as (
      delete from documents d
      where d.id = ${id} and d.collection_id = ${collection.id} and ${isOpen(collection)}
        and ${atVersion} and ${isOf(creator)}
        and not exists (select from files f where f.document_id = d.id)
      returning ${columns}, null::jsonb as before, d.updated_at as before_updated_at
    ), ${recording}
    select ${seq} as seq, exists (select from deleted) as is_deleted`),
  )
  return { seq: written?.seq ?? null, isDeleted: written?.is_deleted ?? false }
}
