import type { ListedDocument, StoredDocument } from '../../client/protocol/model/document.js'
import { JsonText } from '../../client/protocol/model/json.js'
import { type Database, type Fragment, literal, nothing, sql, writing } from '../database/port.js'
import { type Link, lockingLinks } from './links.js'
import { areCopiesSmall, inGroups } from './realtime/copies.js'
import type { RecordedSeq, WriteTarget } from './sequencer/port.js'
import { sequencerFor } from './sequencer/sequencer.js'
import { isExactly, isOneOf, maxTextBytes } from './sql-fragments.js'
import type { Claim } from './unique-rules.js'
import { claimedValues, followsRules, freedValues } from './unique-values.js'

export type { WriteTarget }

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
  /** An upper bound of its members and items, at all levels. Default: few. */
  readonly values?: number
  /** The user who creates it. */
  readonly createdBy?: string | undefined
  /** Its values of unique fields. */
  readonly claims?: readonly Claim[]
  /** Records that must exist when it is written. Contract 13.2. */
  readonly links?: readonly Link[]
}

/** The written documents, and the number of the recorded change. */
export interface Written {
  readonly documents: StoredDocument[]
  readonly seq: RecordedSeq
}

export const columns = sql`d.id, d.data, d.version, d.created_at, d.updated_at, d.created_by`

/** The same columns of `written`, which returns them. */
export const writtenColumns = sql`id, data, version, created_at, updated_at, created_by`

/**
 * Inserts documents, counts them and records their changes in one statement. It locks the count's row, as a removal of
 * the collection does, and returns nothing if the collection or a linked record is gone. Otherwise it returns the input, because having
 * the database write a batch out again would take half as long as storing it.
 */
export async function insertDocuments(
  db: Database,
  { project, collection, at }: WriteTarget,
  documents: readonly NewData[],
): Promise<Written> {
  const sequencer = sequencerFor(db)
  const isShared = sequencer.sharesCopies && areCopiesSmall(documents) && !hasManyValues(documents)
  const groups = isShared ? sql`(select groups from given)` : undefined
  const { locking, areThere } = lockingLinks(db, project, listLinks(documents))
  const { counted, recording, seq } = sequencer.recordInsertion(
    { project, collection, at },
    { count: documents.length, condition: areThere, groups },
  )
  const claimed = documents.flatMap(({ id, claims = [] }) => claims.map((claim) => ({ ...claim, document: id })))
  const given = isShared ? sql`given as materialized (select ${inGroups(documents)}::jsonb as groups), ` : nothing
  const [written] = await db.query<Pick<Written, 'seq'>>(
    writing(sql`
    with ${given}${locking}fresh as materialized (
      select id, data, nullif(created_by, '')::uuid as created_by, ordinality
      from ${groups ? rowsWith(documents, sql`jsonb_path_query(${groups}, 'strict $[*][*]')`) : freshRows(documents)}
    ), ${counted}, ${recording}, inserted as (
      insert into documents (id, collection_id, data, created_by, created_at, updated_at)
      select fresh.id, counted.collection_id, fresh.data, fresh.created_by, ${at}::timestamptz, ${at}::timestamptz
      from counted, fresh
    )${claimedValues(collection.id, claimed, sql`counted`)}
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

/** The collection of a document that is read. */
export type Holder = Pick<WriteTarget['collection'], 'id' | 'name'>

export async function selectDocument(
  db: Database,
  collection: Holder,
  id: string,
): Promise<StoredDocument | undefined> {
  const [row] = await db.query<DocumentRow>(sql`
    select ${columns} from documents d where d.id = ${id} and d.collection_id = ${collection.id}`)
  return row && fromRow(row, collection)
}

/** Returns the document of a collection that was created last. */
export async function selectNewestDocument(
  db: Database,
  collection: WriteTarget['collection'],
): Promise<StoredDocument | undefined> {
  const [row] = await db.query<DocumentRow>(sql`
    select ${columns}
    from documents d
    where ${isExactly(sql`d.collection_id`, sql`${collection.id}::uuid`)}
    order by d.collection_id desc, d.id desc
    limit 1`)
  return row && fromRow(row, collection)
}

/** Limits a read without a queue. A larger document has to wait for a slot. */
const maxBytesAtOnce = 256 * 1024

/** Returns a document, or `large` if its data may take too much memory. */
export async function selectSmallDocument(
  db: Database,
  collection: Holder,
  id: string,
): Promise<StoredDocument | 'large' | undefined> {
  const [row] = await db.query<DocumentRow & { data: string | null }>(sql`
    select d.id, d.version, d.created_at, d.updated_at, d.created_by,
      case when ${maxTextBytes(sql`d.data`)} <= ${literal(maxBytesAtOnce)} then d.data end as data
    from documents d where d.id = ${id} and d.collection_id = ${collection.id}`)
  if (row?.data === null) return 'large'
  return row && fromRow(row, collection)
}

/**
 * Whether the document `d` is in a collection that exists and has the unique rules that the caller knows. Its documents
 * are deleted later, and callers that cached it may still ask for them. Decision 67. With concurrent writers, its count is
 * locked, so that a change of the rules waits for this write, and this write for the change.
 */
export function isOpen({ capabilities }: Database, collection: WriteTarget['collection']): Fragment {
  const found = sql`from document_counts n
        where n.collection_id = ${collection.id} and not n.is_removed and n.${followsRules(collection)}`
  if (!capabilities.runsTransactionsTogether)
    return sql`d.collection_id = ${collection.id} and exists (select ${found})`
  return sql`d.collection_id = (select n.collection_id ${found} for key share)`
}

/**
 * Loads and locks the existing documents among the ids until the transaction ends. Locks them in order of their ids, and
 * as an update does, so that a document that links to them can be written.
 */
export async function lockDocuments(
  tx: Database,
  collection: WriteTarget['collection'],
  ids: readonly string[],
): Promise<Map<string, StoredDocument>> {
  const rows = await tx.query<DocumentRow>(sql`
    select ${columns}
    from documents d
    where ${isOneOf(ids)} and ${isOpen(tx, collection)}
    order by d.id
    for no key update`)
  return new Map(rows.map((row) => [row.id, fromRow(row, collection)]))
}

/** Returns the version and the creator of a document, and of its data only some fields. */
export async function selectDocumentVersion(
  db: Database,
  collection: Holder,
  id: string,
  fields: readonly string[] = [],
): Promise<Pick<StoredDocument, 'version' | 'createdBy' | 'data'> | undefined> {
  const [row] = await db.query<Pick<DocumentRow, 'version' | 'created_by' | 'data'>>(sql`
    select d.version, d.created_by, ${onlyFields(fields)} as data
    from documents d
    where d.id = ${id} and d.collection_id = ${collection.id}`)
  return row && { version: row.version, createdBy: row.created_by, data: new JsonText(row.data) }
}

/** The data of `d` without other fields. */
function onlyFields(fields: readonly string[]): Fragment {
  if (fields.length === 0) return sql`'{}'::jsonb`
  return sql`(
    select coalesce(jsonb_object_agg(field.name, d.data -> field.name), '{}')
    from unnest(${fields}::text[]) as field (name)
  )`
}

/** The properties of a document that a removal needs. */
export interface LockedVersion {
  readonly version: number
  /** Whether files belong to it. */
  readonly hasFiles: boolean
  readonly createdBy: string | null
  /** Only the requested fields. */
  readonly data: JsonText
}

/** Locks like `lockDocuments`, but loads only some fields of the data, which may be large. */
export async function lockDocumentVersions(
  tx: Database,
  collection: WriteTarget['collection'],
  ids: readonly string[],
  fields: readonly string[] = [],
): Promise<Map<string, LockedVersion>> {
  const rows = await tx.query<Omit<DocumentRow, 'created_at' | 'updated_at'> & { has_files: boolean }>(sql`
    select d.id, d.version, d.created_by, ${onlyFields(fields)} as data,
      exists (select from files f where f.document_id = d.id) as has_files
    from documents d
    where ${isOneOf(ids)} and ${isOpen(tx, collection)}
    order by d.id
    for update of d`)
  return new Map(
    rows.map(({ id, version, created_by: createdBy, data, has_files: hasFiles }) => [
      id,
      { version, createdBy, data: new JsonText(data), hasFiles },
    ]),
  )
}

/** Writes the new data of locked documents and records their changes. */
export async function updateDocumentData(
  tx: Database,
  target: WriteTarget,
  documents: readonly NewData[],
): Promise<Written> {
  const { recording, seq } = sequencerFor(tx).recordChanges(target, {
    ...{ kind: 'updated', affected: sql`written`, count: documents.length },
  })
  const rows = await tx.query<DocumentRow & Pick<Written, 'seq'>>(
    writing(sql`
    with fresh as (
      select d.id, d.data as before, d.updated_at as before_updated_at, fresh.data
      from ${freshRows(documents)}
      join documents d on d.id = fresh.id
    ), written as (
      update documents d set data = fresh.data, version = d.version + 1, updated_at = ${target.at}::timestamptz
      from fresh
      where d.id = fresh.id
      returning ${columns}, fresh.before, fresh.before_updated_at
    ), ${recording}
    select ${writtenColumns}, ${seq} as seq from written`),
  )
  return { documents: rows.map((row) => fromRow(row, target.collection)), seq: rows[0]?.seq ?? null }
}

/** Deletes locked documents, updates the count and records their changes. */
export async function deleteDocuments(
  tx: Database,
  target: WriteTarget,
  ids: readonly string[],
): Promise<Pick<Written, 'seq'>> {
  const { recording, seq } = sequencerFor(tx).recordDeletion(target, ids.length)
  const [written] = await tx.query<Pick<Written, 'seq'>>(
    writing(sql`
    with deleted as (
      delete from documents d where d.id = any(${ids}::uuid[])
      returning ${columns}, null::jsonb as before, d.updated_at as before_updated_at
    )${freedValues(target.collection, sql`deleted`)}, ${recording}
    select ${seq} as seq`),
  )
  return { seq: written?.seq ?? null }
}

/** A document found by its id alone, with its collection's permissions. */
export interface FoundRecord {
  readonly document: StoredDocument
  readonly permissions: string
}

/** Limits the data loaded at once. */
const maxLoadedBytes = 32 * 1024 * 1024

/**
 * Loads documents of a project by id, up to a limit of bytes. Returns the ids of the existing documents beyond it as
 * `others`.
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
        coalesce(sum(${maxTextBytes(sql`d.data`)}) over (order by d.id rows between unbounded preceding and 1 preceding), 0)
          < ${maxLoadedBytes}::int as is_loaded
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

function listLinks(documents: readonly NewData[]): Link[] {
  return documents.flatMap(({ links = [] }) => links)
}

/** Limits the values that PostgreSQL turns into `jsonb` at once; each takes up to 300 bytes of its memory. */
const maxValuesAtOnce = 250_000

function hasManyValues(documents: readonly NewData[]): boolean {
  return documents.reduce((sum, { values = 0 }) => sum + values, 0) > maxValuesAtOnce
}

/**
 * Passes the documents as one JSON array, which is read faster than a PostgreSQL array with quoted items. An array with
 * too many values is split as text, which is slower, but needs the memory of only one document. Contract 10.10.
 */
function freshRows(documents: readonly NewData[]): Fragment {
  const data = `[${documents.map(({ json }) => json).join()}]`
  if (!hasManyValues(documents)) return rowsWith(documents, sql`jsonb_array_elements(${data}::jsonb)`)
  return sql`(
      select id, data::jsonb as data, created_by, ordinality from ${rowsWith(documents, sql`json_array_elements(${data}::json)`)}
    ) as fresh`
}

/** Joins the documents with the function's result for each of them, in order. */
function rowsWith(documents: readonly NewData[], data: Fragment): Fragment {
  const ids = documents.map(({ id }) => id)
  // Omits trailing creators: missing items of an array are null.
  const creators = documents.some(({ createdBy }) => createdBy) ? documents.map(({ createdBy }) => createdBy ?? '') : []
  return sql`rows from (unnest(${ids}::uuid[], ${creators}::text[]), ${data})
    with ordinality as fresh (id, created_by, data, ordinality)`
}

export function fromRow(row: DocumentRow, collection: Holder): StoredDocument {
  return { createdBy: row.created_by, ...listedFromRow(row, collection) }
}

export function listedFromRow(row: Omit<DocumentRow, 'created_by'>, collection: Holder): ListedDocument {
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
