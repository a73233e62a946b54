/** Indexes over fields of single collections, made where they are used. `background/indexes.ts` says when. */
import { createHash } from 'node:crypto'
import type { Sort } from '../../../client/protocol/model/page.js'
import type { Path } from '../../../client/protocol/model/path.js'
import { ownField } from '../../../client/protocol/model/where.js'
import { type Database, type Fragment, joinSql, sql, textLiteral, writing } from '../../database/port.js'
import { patientSql } from '../upkeep/tables.js'
import {
  fieldInstant,
  fieldText,
  fieldValue,
  hashed,
  inCollection,
  inOrder,
  isOdd,
  isOddAmong,
  isRegular,
  isRegularAmong,
  lowerCased,
  ownTimes,
} from './fields.js'

/**
 * `asc` and `desc` serve a sort in that direction, and either of them comparisons. `odd` holds the documents whose values
 * may not stand in those two. `time asc` and `time desc` are the same over points in time, which any value has a place among. `text`
 * serves parts of strings, `creator` lists of what one user created.
 */
export type FieldIndexKind = OrderKind | 'odd' | 'text' | 'creator'
export type OrderKind = Sort['direction'] | `time ${Sort['direction']}`

export interface FieldIndex {
  readonly collection: string
  readonly path: Path
  readonly kind: FieldIndexKind
  /** Fields before it that a list compares with values, in the order of `equality.ts`. */
  readonly equal?: readonly Path[]
}

export interface KeptIndex extends FieldIndex {
  readonly name: string
  readonly madeAt: string
  readonly usedAt: string
  /** How many lists it has served. */
  readonly uses: number
  /** Why it was made. */
  readonly reason: string
  readonly bytes: number
  /** False while it is made, and for one whose making was interrupted. */
  readonly isReady: boolean
  /** Whether a session may be about it, which may go on after the process that has asked for it. */
  readonly isBeingMade: boolean
  /** Both are null where its collection has been removed. */
  readonly project: string | null
  readonly collectionName: string | null
}

/** What is known of the collection that a list reads. */
export interface KnownFields {
  /** So small that any plan will do, and making one each time would cost more than it saves. */
  readonly isSmall: boolean
  /** How many there were lately; undefined until they were counted. */
  readonly documents?: number | undefined
  has(path: Path, kind: OrderKind | 'text', equal?: readonly Path[]): boolean
}

/** What a list could use: an index of that kind, and for a range one in either direction. */
export interface FieldUse extends Pick<FieldIndex, 'path' | 'equal'> {
  readonly kind: OrderKind | 'text' | 'range' | 'time range' | 'creator'
}

/** What lists of the documents of one creator have use for. The path only names it. */
export const creatorUse: FieldUse = { path: ['created_by'], kind: 'creator' }

/** Counts what lists ask for; it never keeps them waiting. */
export interface FieldIndexes {
  asked(collection: string, uses: readonly FieldUse[]): KnownFields
}

interface IndexRow {
  name: string
  collection_id: string
  path: string
  kind: FieldIndexKind
  made_at: string
  used_at: string
  equal: string
  uses: number
  reason: string
  bytes: number
  is_ready: boolean
  is_being_made: boolean
  project_id: string | null
  collection_name: string | null
}

/**
 * Whether a session makes an index of documents, or waits for another that does: a table has one made at a time. What a session of
 * another role does is hidden, and so which index it is; its locks, and that it makes one, are not.
 */
const makesAny = sql`
  select exists (
    select from pg_locks l
    join pg_database b on b.oid = l.database and b.datname = current_database()
    where l.locktype = 'relation' and l.relation = 'svc.documents'::regclass and l.mode = 'ShareUpdateExclusiveLock'
      and (not l.granted or exists (select from pg_stat_progress_create_index p where p.pid = l.pid))
  ) as is_any`

export async function selectFieldIndexes(db: Database): Promise<KeptIndex[]> {
  const rows = await db.query<IndexRow>(sql`
    select f.name, f.collection_id, f.path, f.kind, f.made_at, f.used_at, f.equal, f.uses, f.reason,
      coalesce(pg_relation_size(c.oid), 0) as bytes, coalesce(i.indisvalid, false) as is_ready,
      i.indisvalid is not true and making.is_any as is_being_made,
      o.project_id, o.name as collection_name
    from field_indexes f
    left join collections o on o.id = f.collection_id
    left join pg_class c on c.relname = f.name and c.relnamespace = 'svc'::regnamespace
    left join pg_index i on i.indexrelid = c.oid
    cross join (${makesAny}) as making
    order by o.name, f.made_at, f.name`)
  return rows.map((row) => ({
    name: row.name,
    collection: row.collection_id,
    path: JSON.parse(row.path),
    kind: row.kind,
    madeAt: row.made_at,
    usedAt: row.used_at,
    equal: JSON.parse(row.equal),
    uses: row.uses,
    reason: row.reason,
    bytes: row.bytes,
    isReady: row.is_ready,
    isBeingMade: row.is_being_made,
    project: row.project_id,
    collectionName: row.collection_name,
  }))
}

/** What lists can use. It is asked at every start, so of nothing that takes long to plan. */
export async function selectReadyIndexes(db: Database): Promise<Pick<KeptIndex, 'name' | 'collection'>[]> {
  const rows = await db.query<Pick<IndexRow, 'name' | 'collection_id'>>(sql`
    select f.name, f.collection_id
    from field_indexes f
    join pg_class c on c.relname = f.name and c.relnamespace = 'svc'::regnamespace
    join pg_index i on i.indexrelid = c.oid
    where i.indisvalid`)
  return rows.map((row) => ({ name: row.name, collection: row.collection_id }))
}

/** Makes an index and keeps its name, unless it is there or being made. Writes go on meanwhile where the engine supports it. */
export async function makeFieldIndex(db: Database, index: FieldIndex, at: string, reason = ''): Promise<void> {
  const name = nameOf(index)
  const [claimed] = await db.query(
    writing(sql`
    insert into field_indexes (name, collection_id, path, equal, kind, made_at, used_at, reason)
    values (
      ${name}, ${index.collection}::uuid, ${JSON.stringify(index.path)}::jsonb, ${JSON.stringify(index.equal ?? [])}::jsonb,
      ${index.kind}, ${at}::timestamptz, ${at}::timestamptz, ${reason}
    )
    on conflict do nothing
    returning name`),
  )
  if (!claimed) return
  try {
    const making = patientSql(
      `create index ${concurrently(db)}if not exists ${name} on svc.documents ${definitionOf(index)}`,
    )
    await db.query({ ...making, takesSpace: true })
    await db.query(patientSql('analyze svc.documents'))
  } catch (error) {
    await dropFieldIndex(db, name)
    throw error
  }
}

export async function dropFieldIndex(db: Database, name: string): Promise<void> {
  if (!/^field_[0-9a-f]{40}$/.test(name)) throw new Error('Not the name of a field index.')
  await db.query(patientSql(`drop index ${concurrently(db)}if exists svc.${name}`))
  await db.query(sql`delete from field_indexes where name = ${name}`)
}

function concurrently({ capabilities }: Database): string {
  return capabilities.supportsConcurrentIndexes ? 'concurrently ' : ''
}

/** Adds how often each was used since. */
export async function updateUses(db: Database, uses: ReadonlyMap<string, number>, at: string): Promise<void> {
  await db.query(
    writing(sql`
    update field_indexes f set used_at = ${at}::timestamptz, uses = f.uses + used.times
    from unnest(${[...uses.keys()]}::text[], ${[...uses.values()].map(String)}::bigint[]) as used (name, times)
    where f.name = used.name`),
  )
}

/** Whether any of the newest documents has the fields; an index over a field that no document has serves no list. */
export async function hasFields(db: Database, collection: string, paths: readonly Path[]): Promise<boolean> {
  const [row] = await db.query<{ is_there: boolean }>(sql`
    select exists (
      select from (
        select d.data
        from documents d
        where d.collection_id >= ${collection}::uuid and d.collection_id <= ${collection}::uuid
        order by d.collection_id desc, d.id desc
        limit 1000
      ) as d
      where ${joinSql(
        paths.map((path) => sql`${fieldValue(path)} is not null`),
        ' and ',
      )}
    ) as is_there`)
  return row?.is_there === true
}

/** Whose a collection is, as long as it is there. */
export async function projectOf(db: Database, collection: string): Promise<string | undefined> {
  const [row] = await db.query<{ project_id: string }>(
    sql`select project_id from collections where id = ${collection}::uuid`,
  )
  return row?.project_id
}

/** What the documents of a collection take on disk, without reading those that are kept beside their rows. */
export async function storedBytes(db: Database, collection: string): Promise<number> {
  const [row] = await db.query<{ bytes: number }>(sql`
    select coalesce(sum(pg_column_size(d.data)), 0)::float8 as bytes from documents d where d.collection_id = ${collection}`)
  return row?.bytes ?? 0
}

export async function countDocuments(db: Database, collection: string): Promise<number> {
  const [row] = await db.query<{ documents: number }>(
    sql`select documents from document_counts where collection_id = ${collection}::uuid`,
  )
  return row?.documents ?? 0
}

export function nameOf({ collection, path, kind, equal = [] }: FieldIndex): string {
  return `field_${createHash('sha1')
    .update(JSON.stringify([collection, path, kind, ...(equal.length > 0 ? [equal] : [])]))
    .digest('hex')}`
}

function definitionOf({ collection, path, kind, equal = [] }: FieldIndex): string {
  const own = ownField(path)
  const here = inCollection(collection)
  if (kind === 'creator') return inlined(sql`(d.created_by, d.id) where ${here}`)
  if (equal.length > 0) {
    const sort = own ? undefined : path
    if (kind === 'odd') return inlined(sql`(d.id) where ${here} and ${isOddAmong(equal, sort)}`)
    const columns = [...equal.map((one) => hashed(fieldValue(one))), ...sortColumns(path, directionOf(kind))]
    return inlined(sql`(${joinSql(columns, ', ')}) where ${here} and ${isRegularAmong(equal, sort)}`)
  }
  if (own && own !== 'id') return inlined(sql`(${ownTimes[own]} ${directionOf(kind)}, d.id) where ${here}`)
  if (kind === 'text') return inlined(sql`using gin (${lowerCased(fieldText(path))} gin_trgm_ops) where ${here}`)
  if (kind === 'odd') return inlined(sql`(d.id) where ${here} and ${isOdd(path)}`)
  if (isTimeKind(kind)) return inlined(sql`(${fieldInstant(path)} ${directionOf(kind)} nulls last, d.id) where ${here}`)
  return inlined(
    sql`(${inOrder(fieldValue(path))} ${directionOf(kind)} nulls last, d.id) where ${here} and ${isRegular(path)}`,
  )
}

/** What an index in order ends with: the field that sorts, and the id. */
function sortColumns(path: Path, direction: Fragment): Fragment[] {
  const own = ownField(path)
  if (own === 'id') return [sql`d.id ${direction}`]
  return [
    own ? sql`${ownTimes[own]} ${direction}` : sql`${inOrder(fieldValue(path))} ${direction} nulls last`,
    sql`d.id`,
  ]
}

function directionOf(kind: FieldIndexKind): Fragment {
  return kind === 'desc' || kind === 'time desc' ? sql`desc` : sql`asc`
}

export function isTimeKind(kind: FieldIndexKind): boolean {
  return kind === 'time asc' || kind === 'time desc'
}

/** The index that has a sort's documents in order. */
export function kindOfSort({ direction, isTime }: Sort): OrderKind {
  return isTime ? `time ${direction}` : direction
}

/** An index is made of text alone: each parameter becomes a literal, and the table has no alias there. */
export function inlined({ text, values }: Fragment): string {
  return text.replaceAll(/\bd\./g, '').replaceAll(/\$(\d+)/g, (_, number) => textLiteral(values[Number(number) - 1]))
}
