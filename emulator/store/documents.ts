import type { ListedDocument, StoredDocument } from '../../client/protocol/model/document.js'
import { JsonText } from '../../client/protocol/model/json.js'
import { type Database, type Fragment, literal, nothing, sql, writing } from '../database/port.js'
import { inGroups, shareCopies } from './realtime/copies.js'
import { insertionOf, type RecordedSeq, recorded, recordedDeletion, type WritePlace } from './recording.js'
import { mostTextBytes } from './sql-words.js'

export type { WritePlace }

export interface DocumentRow {
  id: string
  data: string
  version: number
  created_at: string
  updated_at: string
  created_by: string | null
}

/** A document's id and its new data as JSON text. */
export interface NewData {
  readonly id: string
  readonly json: string
  /** It has at most so many members and items, at all levels; left out, few. */
  readonly values?: number
  /** The user who creates it. */
  readonly createdBy?: string | undefined
}

/** What was written, and what was recorded with it. */
export interface Written {
  readonly documents: StoredDocument[]
  readonly seq: RecordedSeq
}

export const columns = sql`d.id, d.data, d.version, d.created_at, d.updated_at, d.created_by`

/** The same of `written`, which returns them. */
export const writtenColumns = sql`id, data, version, created_at, updated_at, created_by`

/**
 * Inserts documents, counts them and records their changes, all in one statement. The count's row is the
 * lock that a removal of the collection takes too: nothing comes back if the collection is gone. What does come back
 * is what was given: to have the database write a batch out again would take it half as long as to store it.
 */
export async function insertDocuments(
  db: Database,
  { project, collection, at }: WritePlace,
  documents: readonly NewData[],
): Promise<Written> {
  const isShared = shareCopies(db, documents) && !hasManyValues(documents)
  const groups = isShared ? sql`(select groups from given)` : undefined
  const { counted, recorded, seq } = insertionOf(db, { project, collection, at }, documents.length, groups)
  const given = isShared ? sql`given as materialized (select ${inGroups(documents)}::jsonb as groups), ` : nothing
  const [written] = await db.query<Pick<Written, 'seq'>>(
    writing(sql`
    with ${given}fresh as materialized (
      select id, data, nullif(created_by, '')::uuid as created_by, ordinality
      from ${groups ? rowsWith(documents, sql`jsonb_path_query(${groups}, 'strict $[*][*]')`) : rowsOf(documents)}
    ), ${counted}, ${recorded}, inserted as (
      insert into documents (id, collection_id, data, created_by, created_at, updated_at)
      select fresh.id, counted.collection_id, fresh.data, fresh.created_by, ${at}::timestamptz, ${at}::timestamptz
      from counted, fresh
    )
    select ${seq} as seq from counted`),
  )
  if (!written) return { documents: [], seq: null }
  return {
    documents: documents.map(({ id, json, createdBy = null }) =>
      fromRow({ id, data: json, version: 1, created_at: at, updated_at: at, created_by: createdBy }, collection),
    ),
    seq: written.seq,
  }
}

/** One document, as it stands. */
export async function selectDocument(
  db: Database,
  collection: WritePlace['collection'],
  id: string,
): Promise<StoredDocument | undefined> {
  const [row] = await db.query<DocumentRow>(sql`
    select ${columns} from documents d where d.id = ${id} and d.collection_id = ${collection.id}`)
  return row && fromRow(row, collection)
}

/** What is read at once, however many ask for it; a larger document has to wait for a place. */
const mostBytesAtOnce = 256 * 1024

/** One document, or `large` where its data may take much. */
export async function selectSmallDocument(
  db: Database,
  collection: WritePlace['collection'],
  id: string,
): Promise<StoredDocument | 'large' | undefined> {
  const [row] = await db.query<DocumentRow & { data: string | null }>(sql`
    select d.id, d.version, d.created_at, d.updated_at, d.created_by,
      case when ${mostTextBytes(sql`d.data`)} <= ${literal(mostBytesAtOnce)} then d.data end as data
    from documents d where d.id = ${id} and d.collection_id = ${collection.id}`)
  if (row?.data === null) return 'large'
  return row && fromRow(row, collection)
}

/** Whether a collection is there. Its documents are deleted after it, and those who kept it for a second may ask for them. Decision 67. */
export function isOpen({ id }: WritePlace['collection']): Fragment {
  return sql`exists (select from document_counts n where n.collection_id = ${id} and not n.is_removed)`
}

/** The documents that exist of those ids, by id, held until the transaction ends. Locks are taken in id order. */
export async function lockDocuments(
  tx: Database,
  collection: WritePlace['collection'],
  ids: readonly string[],
): Promise<Map<string, StoredDocument>> {
  const rows = await tx.query<DocumentRow>(sql`
    select ${columns}
    from documents d
    where ${isOneOf(ids)} and d.collection_id = ${collection.id} and ${isOpen(collection)}
    order by d.id
    for update`)
  return new Map(rows.map((row) => [row.id, fromRow(row, collection)]))
}

/** Which version of a document there is, and whose it is, without its data. */
export async function selectDocumentVersion(
  db: Database,
  collection: WritePlace['collection'],
  id: string,
): Promise<Pick<StoredDocument, 'version' | 'createdBy'> | undefined> {
  const [row] = await db.query<Pick<DocumentRow, 'version' | 'created_by'>>(sql`
    select d.version, d.created_by from documents d where d.id = ${id} and d.collection_id = ${collection.id}`)
  return row && { version: row.version, createdBy: row.created_by }
}

/** What a removal needs to know of a document. */
export interface LockedVersion {
  readonly version: number
  /** Whether files live with it. */
  readonly hasFiles: boolean
  readonly createdBy: string | null
}

/** As `lockDocuments`, without their data, which may be large. */
export async function lockDocumentVersions(
  tx: Database,
  collection: WritePlace['collection'],
  ids: readonly string[],
): Promise<Map<string, LockedVersion>> {
  const rows = await tx.query<{ id: string; version: number; created_by: string | null; has_files: boolean }>(sql`
    select d.id, d.version, d.created_by, exists (select from files f where f.document_id = d.id) as has_files
    from documents d
    where ${isOneOf(ids)} and d.collection_id = ${collection.id} and ${isOpen(collection)}
    order by d.id
    for update of d`)
  return new Map(
    rows.map(({ id, version, created_by: createdBy, has_files: hasFiles }) => [id, { version, createdBy, hasFiles }]),
  )
}

/** One id in words of its own: of a list that it does not know PostgreSQL expects ten, and plans each time anew. */
function isOneOf(ids: readonly string[]): Fragment {
  const [id, ...others] = ids
  return id !== undefined && others.length === 0 ? sql`d.id = ${id}` : sql`d.id = any(${ids}::uuid[])`
}

/** Writes the new data of locked documents and records their changes. */
export async function updateDocumentData(
  tx: Database,
  place: WritePlace,
  documents: readonly NewData[],
): Promise<Written> {
  const { recording, seq } = recorded(tx, place, 'updated', sql`written`, documents.length)
  const rows = await tx.query<DocumentRow & Pick<Written, 'seq'>>(
    writing(sql`
    with fresh as (
      select d.id, d.data as before, d.updated_at as before_updated_at, fresh.data
      from ${rowsOf(documents)}
      join documents d on d.id = fresh.id
    ), written as (
      update documents d set data = fresh.data, version = d.version + 1, updated_at = ${place.at}::timestamptz
      from fresh
      where d.id = fresh.id
      returning ${columns}, fresh.before, fresh.before_updated_at
    ), ${recording}
    select ${writtenColumns}, ${seq} as seq from written`),
  )
  return { documents: rows.map((row) => fromRow(row, place.collection)), seq: rows[0]?.seq ?? null }
}

/** Deletes locked documents, counts them off and records their changes. */
export async function deleteDocuments(
  tx: Database,
  place: WritePlace,
  ids: readonly string[],
): Promise<Pick<Written, 'seq'>> {
  const { recording, seq } = recordedDeletion(tx, place, ids.length)
  const [written] = await tx.query<Pick<Written, 'seq'>>(
    writing(sql`
    with deleted as (
      delete from documents d where d.id = any(${ids}::uuid[])
      returning ${columns}, null::jsonb as before, d.updated_at as before_updated_at
    ), ${recording}
    select ${seq} as seq`),
  )
  return { seq: written?.seq ?? null }
}

/** A document found by its id alone, with its collection's permissions. */
export interface FoundRecord {
  readonly document: StoredDocument
  readonly permissions: string
}

/** What is loaded at once. */
const mostLoadedBytes = 32 * 1024 * 1024

/**
 * Documents of a project by id. However many and large they are, only so many are loaded at once: the ids of those that are
 * there beyond them are answered as `others`.
 */
export async function selectRecords(
  db: Database,
  project: string,
  ids: readonly string[],
): Promise<{ records: readonly FoundRecord[]; others: readonly string[] }> {
  type Row = DocumentRow & { collection_id: string; name: string; permissions: string; is_loaded: boolean }
  const rows = await db.query<Row>(sql`
    select d.id, d.version, d.created_at, d.updated_at, d.created_by, d.collection_id, d.name, d.is_loaded,
      case when d.is_loaded then d.data end as data,
      case when d.is_loaded then d.permissions end as permissions
    from (
      select ${columns}, d.collection_id, c.name, c.permissions,
        coalesce(sum(${mostTextBytes(sql`d.data`)}) over (order by d.id rows between unbounded preceding and 1 preceding), 0)
          < ${mostLoadedBytes}::int as is_loaded
      from documents d
      join collections c on c.id = d.collection_id
      where d.id = any(${ids}::uuid[]) and c.project_id = ${project}
    ) d`)
  return {
    records: rows.flatMap((row) => {
      const { collection_id: id, name, permissions } = row
      return row.is_loaded ? [{ document: fromRow(row, { id, name }), permissions }] : []
    }),
    others: rows.flatMap((row) => (row.is_loaded ? [] : [row.id])),
  }
}

/** What PostgreSQL builds `jsonb` of at once; each value takes up to 300 bytes of its memory. */
const mostValuesAtOnce = 250_000

function hasManyValues(documents: readonly NewData[]): boolean {
  return documents.reduce((sum, { values = 0 }) => sum + values, 0) > mostValuesAtOnce
}

/**
 * The documents as rows of `fresh`. One JSON array is read faster than a PostgreSQL array whose items are quoted once more.
 * One of very many values is taken apart as text, which takes longer, and the memory of one document only. Contract 10.10.
 */
function rowsOf(documents: readonly NewData[]): Fragment {
  const data = `[${documents.map(({ json }) => json).join()}]`
  if (!hasManyValues(documents)) return rowsWith(documents, sql`jsonb_array_elements(${data}::jsonb)`)
  return sql`(
      select id, data::jsonb as data, created_by, ordinality from ${rowsWith(documents, sql`json_array_elements(${data}::json)`)}
    ) as fresh`
}

/** The same with what a function returns for each of them, in their order. */
function rowsWith(documents: readonly NewData[], data: Fragment): Fragment {
  const ids = documents.map(({ id }) => id)
  // One without a creator has none: what is missing at the end of an array is null.
  const creators = documents.some(({ createdBy }) => createdBy) ? documents.map(({ createdBy }) => createdBy ?? '') : []
  return sql`rows from (unnest(${ids}::uuid[], ${creators}::text[]), ${data})
    with ordinality as fresh (id, created_by, data, ordinality)`
}

export function fromRow(row: DocumentRow, collection: WritePlace['collection']): StoredDocument {
  return { createdBy: row.created_by, ...listedFromRow(row, collection) }
}

export function listedFromRow(
  row: Omit<DocumentRow, 'created_by'>,
  collection: WritePlace['collection'],
): ListedDocument {
  return {
    id: row.id,
    collection: collection.name,
    collectionId: collection.id,
    data: new JsonText(row.data),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    version: row.version,
  }
}
