import type { Change } from '../../../client/protocol/model/change.js'
import { idTime, type StoredDocument } from '../../../client/protocol/model/document.js'
import { JsonText } from '../../../client/protocol/model/json.js'
import { type Database, nothing, sql, writing } from '../../database/port.js'
import { noCreator } from '../creators.js'
import { sequencerFor } from '../sequencer/sequencer.js'
import { copyColumns, type GroupRow, groupOf, isFirstOfGroup, maxCopyBytes, withCopies } from './copies.js'

/** A change, recorded in the transaction that made it. */
export type Recorded = RecordedDocumentChange | CollectionChange | CollectionReset

export interface RecordedDocumentChange {
  readonly kind: Change['kind']
  readonly seq: number
  readonly collection: string
  /** The document after the change, or its last state if it was deleted. Has only the id of its collection. */
  readonly document: StoredDocument
  /** The state before an update. */
  readonly before: {
    readonly data: JsonText
    readonly updatedAt: string
    /** The creator at that time. */
    readonly createdBy: string | null
  } | null
}

/** The collection was renamed, changed or removed. */
export interface CollectionChange {
  readonly kind: 'collection'
  readonly seq: number
  readonly collection: string
}

/** The contents of the collection no longer follow from its changes; it may be gone. */
interface CollectionReset {
  readonly kind: 'reset'
  readonly seq: number
  readonly collection: string
}

interface CommonRow {
  seq: number
  collection_id: string
  recorded_at: string
}

interface DocumentChangeRow extends CommonRow {
  kind: RecordedDocumentChange['kind']
  document_id: string
  version: number
  data: string
  before: string | null
  before_updated_at: string | null
  created_by: string | null
  before_created_by: string | null
}

/** The columns for documents are null. */
interface CollectionChangeRow extends CommonRow {
  kind: 'collection'
}

interface CollectionResetRow extends CommonRow {
  kind: 'reset'
}

type ChangeRow = DocumentChangeRow | CollectionChangeRow | CollectionResetRow

export interface Range {
  readonly project: string
  /** Ids, including those of removed collections. Default: all of the project. */
  readonly collections?: readonly string[]
  /** Only changes after this number. */
  readonly after: number
}

/** Limits a page, so that neither many changes nor large ones delay the database or fill the memory. */
const pageLimits = { changes: 500, bytes: 4 * 1024 * 1024 }

export interface ChangePage {
  readonly changes: readonly Recorded[]
  /** Whether this was the last page. */
  readonly isAll: boolean
  /** The project's newest number at the same moment. */
  readonly lastSeq: number
}

/** Returns the next committed changes of some collections, in commit order. */
export async function selectChanges(db: Database, { project, collections, after }: Range): Promise<ChangePage> {
  await sequencerFor(db).number(db, project)
  const ofThese = collections ? sql`and collection_id = any(${collections}::uuid[])` : nothing
  type Row = { last_seq: number } & ({ seq: null } | (ChangeRow & GroupRow & { next_seq: number | null }))
  const rows = await db.query<Row>(sql`
    select s.last_seq, c.seq, c.kind, c.collection_id, c.document_id, c.version, c.data, c.copies_ahead, ${groupOf} as copies,
      c.before, c.before_updated_at, c.created_by, c.before_created_by, c.recorded_at, c.next_seq
    from sequences s
    left join lateral (
      select ${copyColumns}, seq, kind, collection_id, document_id, version, before, before_updated_at, created_by,
        before_created_by, recorded_at, ${isFirstOfGroup} as is_first_of_group, lead(seq) over earlier as next_seq,
        sum(${maxCopyBytes}) over earlier as bytes_before
      from (
        select ${copyColumns}, seq, kind, collection_id, document_id, version, before, before_updated_at, created_by,
          before_created_by, recorded_at
        from changes
        where project_id = s.project_id and seq > ${after}::bigint ${ofThese}
        order by seq
        limit ${pageLimits.changes}::int
      ) next
      window earlier as (order by seq rows between unbounded preceding and 1 preceding)
    ) c on coalesce(c.bytes_before, 0) <= ${pageLimits.bytes}::int
    where s.project_id = ${project}`)
  // Sorts here, because the rows are almost always in order and sorting in the database costs more.
  const found = rows.flatMap((row) => (row.seq === null ? [] : [row])).sort((one, other) => one.seq - other.seq)
  return {
    changes: withCopies(found).map(fromRow),
    isAll: found.length < pageLimits.changes && (found.at(-1)?.next_seq ?? null) === null,
    lastSeq: rows[0]?.last_seq ?? 0,
  }
}

export interface Kept {
  /** Null without changes. */
  readonly oldest: number | null
  readonly lastSeq: number
  /** The number before the first change. */
  readonly beginning: number
}

/** Returns the newest number of a project, and that of the oldest change that is still stored. */
export async function selectKept(db: Database, project: string): Promise<Kept> {
  await sequencerFor(db).number(db, project)
  const [row] = await db.query<{ oldest: number | null; last_seq: number; kept_after: number }>(sql`
    select s.last_seq, s.kept_after,
      (select min(seq) from changes where project_id = s.project_id and seq > s.kept_after) as oldest
    from sequences s
    where s.project_id = ${project}`)
  const { oldest = null, last_seq: lastSeq = 0, kept_after: keptAfter = 0 } = row ?? {}
  // Only a number from the project's creation is a multiple; trimming and resets use others.
  return { oldest, lastSeq, beginning: keptAfter % numbersLeftOut === 0 ? keptAfter : 0 }
}

/**
 * Skips more numbers than any project will use, where numbers may already belong to other changes. JavaScript's largest
 * safe integer is 9,000,000 times as large.
 */
export const numbersLeftOut = 1_000_000_000

/**
 * Records resets of collections in the same transaction, and returns the newest number. With `isWhole`, all subscribers
 * with an earlier number have to start over. The next number is skipped, so that a subscriber with the last one does
 * not seem up to date.
 */
export async function insertResets(
  tx: Database,
  { project, collections, at, isWhole }: ResetTarget,
): Promise<number | null> {
  const drawn = collections.length + (isWhole ? 1 : 0)
  const [recorded] = await tx.query<{ seq: number }>(
    writing(sql`
    with drawn as (
      update sequences
      set last_seq = last_seq + ${drawn}::int, kept_after = case when ${isWhole} then last_seq + 1 else kept_after end
      where project_id = ${project}
      returning last_seq, last_seq - ${collections.length}::int as before_seq
    ), recorded as (
      insert into changes (project_id, seq, kind, collection_id, recorded_at)
      select ${project}, drawn.before_seq + of.ordinality, 'reset', of.id, ${at}::timestamptz
      from drawn, unnest(${collections}::uuid[]) with ordinality as of (id, ordinality)
    )
    select last_seq as seq from drawn`),
  )
  return recorded?.seq ?? null
}

export interface ResetTarget {
  readonly project: string
  /** Ids of collections, including removed ones. */
  readonly collections: readonly string[]
  readonly at: string
  readonly isWhole: boolean
}

function fromRow(row: ChangeRow): Recorded {
  const { seq, collection_id: collection } = row
  if (row.kind === 'collection' || row.kind === 'reset') return { kind: row.kind, seq, collection }
  // Changes recorded by an older service lack the time.
  const formerTime = row.before_updated_at ?? row.recorded_at
  return {
    kind: row.kind,
    seq,
    collection,
    document: {
      id: row.document_id,
      collection: '',
      collectionId: collection,
      data: new JsonText(row.data),
      createdAt: idTime(row.document_id),
      updatedAt: row.kind === 'deleted' ? formerTime : row.recorded_at,
      version: row.version,
      createdBy: row.created_by,
    },
    before:
      row.before === null
        ? null
        : { data: new JsonText(row.before), updatedAt: formerTime, createdBy: formerCreator(row) },
  }
}

function formerCreator({ created_by: creator, before_created_by: former }: DocumentChangeRow): string | null {
  if (former === null) return creator
  return former === noCreator ? null : former
}
