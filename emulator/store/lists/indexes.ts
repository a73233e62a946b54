/** Manages indexes over fields of single collections, created on demand. `background/indexes.ts` decides when. */
import { createHash } from 'node:crypto'
import type { Sort } from '../../../client/protocol/model/page.js'
import type { Path } from '../../../client/protocol/model/path.js'
import { ownField } from '../../../client/protocol/model/where.js'
import { type Database, type Fragment, joinSql, sql, textLiteral, writing } from '../../database/port.js'
import { isExactly } from '../sql-fragments.js'
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
 * `asc` and `desc` serve a sort in that direction; both serve comparisons. `odd` contains the documents whose values
 * those two exclude. `time asc` and `time desc` order points in time and exclude no value. `text` serves parts of
 * strings, `creator` the lists of one user's documents.
 */
export type FieldIndexKind = OrderKind | 'odd' | 'text' | 'creator'
export type OrderKind = Sort['direction'] | `time ${Sort['direction']}`

export interface FieldIndex {
  readonly collection: string
  readonly path: Path
  readonly kind: FieldIndexKind
  /** Leading fields that a list compares with values, in the order of `equality.ts`. */
  readonly equal?: readonly Path[]
}

export interface KeptIndex extends FieldIndex {
  readonly name: string
  readonly madeAt: string
  readonly usedAt: string
  /** The number of lists it has served. */
  readonly uses: number
  /** The reason why it was created. */
  readonly reason: string
  readonly bytes: number
  /** False during the build, and after an interrupted one. */
  readonly isReady: boolean
  /** Whether a session may be building it. That may outlive the process that asked for it. */
  readonly isBeingMade: boolean
  /** Both are null if its collection has been removed. */
  readonly project: string | null
  readonly collectionName: string | null
}

/** The properties of a collection that its lists need. */
export interface KnownFields {
  /** So small that any plan is good, and planning each time would cost more than it saves. */
  readonly isSmall: boolean
  /** A recent count; undefined before the first one. */
  readonly documents?: number | undefined
  /** An estimate of their size on disk. */
  readonly bytes?: number | undefined
  has(path: Path, kind: OrderKind | 'text', equal?: readonly Path[]): boolean
}

/** An index that a list could use. Either direction serves a range. */
export interface FieldUse extends Pick<FieldIndex, 'path' | 'equal'> {
  readonly kind: OrderKind | 'text' | 'range' | 'time range' | 'creator'
}

/** Serves lists of one creator's documents. The path is only a name. */
export const creatorUse: FieldUse = { path: ['created_by'], kind: 'creator' }

/** Counts the indexes that lists could use, without delaying them. */
export interface FieldIndexes {
  request(collection: string, uses: readonly FieldUse[]): KnownFields
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
 * Whether a session is building an index of documents, or waiting for another that does: a table has one build at a
 * time. Which index a session of another role builds is hidden, but not its locks and that it builds one.
 */
const buildsAnyIndex = sql`
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
    cross join (${buildsAnyIndex}) as making
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

/** Returns the indexes that lists can use. Runs at every start, so the query is quick to plan. */
export async function selectReadyIndexes(db: Database): Promise<Pick<KeptIndex, 'name' | 'collection'>[]> {
  const rows = await db.query<Pick<IndexRow, 'name' | 'collection_id'>>(sql`
    select f.name, f.collection_id
    from field_indexes f
    join pg_class c on c.relname = f.name and c.relnamespace = 'svc'::regnamespace
    join pg_index i on i.indexrelid = c.oid
    where i.indisvalid`)
  return rows.map((row) => ({ name: row.name, collection: row.collection_id }))
}

/** Creates an index, unless it exists or is being built. Writes continue if the engine supports it. */
export async function makeFieldIndex(db: Database, index: FieldIndex, at: string, reason = ''): Promise<void> {
  const name = indexName(index)
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
      `create index ${concurrently(db)}if not exists ${name} on svc.documents ${indexDefinition(index)}`,
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

/** Adds the uses since the last call. */
export async function updateUses(db: Database, uses: ReadonlyMap<string, number>, at: string): Promise<void> {
  await db.query(
    writing(sql`
    update field_indexes f set used_at = ${at}::timestamptz, uses = f.uses + used.times
    from unnest(${[...uses.keys()]}::text[], ${[...uses.values()].map(String)}::bigint[]) as used (name, times)
    where f.name = used.name`),
  )
}

/** Whether any of the newest documents has the fields. An index over a field that no document has serves no list. */
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

/** Returns the project of a collection, if it exists. */
export async function selectCollectionProject(db: Database, collection: string): Promise<string | undefined> {
  const [row] = await db.query<{ project_id: string }>(
    sql`select project_id from collections where id = ${collection}::uuid`,
  )
  return row?.project_id
}

/** Returns the size of a collection's documents on disk without reading large ones. */
export async function storedBytes(db: Database, collection: string): Promise<number> {
  const [row] = await db.query<{ bytes: number }>(sql`
    select coalesce(sum(pg_column_size(d.data)), 0)::float8 as bytes from documents d where d.collection_id = ${collection}`)
  return row?.bytes ?? 0
}

/** Returns the average size on disk of the newest documents. */
export async function averageBytes(db: Database, collection: string): Promise<number> {
  const [row] = await db.query<{ bytes: number }>(sql`
    select coalesce(avg(pg_column_size(d.data)), 0)::float8 as bytes
    from (
      select d.data
      from documents d
      where ${isExactly(sql`d.collection_id`, sql`${collection}::uuid`)}
      order by d.collection_id desc, d.id desc
      limit 100
    ) d`)
  return row?.bytes ?? 0
}

export async function countDocuments(db: Database, collection: string): Promise<number> {
  const [row] = await db.query<{ documents: number }>(
    sql`select documents from document_counts where collection_id = ${collection}::uuid`,
  )
  return row?.documents ?? 0
}

export function indexName({ collection, path, kind, equal = [] }: FieldIndex): string {
  return `field_${createHash('sha1')
    .update(JSON.stringify([collection, path, kind, ...(equal.length > 0 ? [equal] : [])]))
    .digest('hex')}`
}

function indexDefinition({ collection, path, kind, equal = [] }: FieldIndex): string {
  const own = ownField(path)
  const here = inCollection(collection)
  if (kind === 'creator') return inlined(sql`(d.created_by, d.id) where ${here}`)
  if (equal.length > 0) {
    const sort = own ? undefined : path
    if (kind === 'odd') return inlined(sql`(d.id) where ${here} and ${isOddAmong(equal, sort)}`)
    const columns = [...equal.map((one) => hashed(fieldValue(one))), ...sortColumns(path, indexDirection(kind))]
    return inlined(sql`(${joinSql(columns, ', ')}) where ${here} and ${isRegularAmong(equal, sort)}`)
  }
  if (own && own !== 'id') return inlined(sql`(${ownTimes[own]} ${indexDirection(kind)}, d.id) where ${here}`)
  if (kind === 'text') return inlined(sql`using gin (${lowerCased(fieldText(path))} gin_trgm_ops) where ${here}`)
  if (kind === 'odd') return inlined(sql`(d.id) where ${here} and ${isOdd(path)}`)
  if (isTimeKind(kind))
    return inlined(sql`(${fieldInstant(path)} ${indexDirection(kind)} nulls last, d.id) where ${here}`)
  return inlined(
    sql`(${inOrder(fieldValue(path))} ${indexDirection(kind)} nulls last, d.id) where ${here} and ${isRegular(path)}`,
  )
}

/** The last columns of an ordered index: the sort field and the id. */
function sortColumns(path: Path, direction: Fragment): Fragment[] {
  const own = ownField(path)
  if (own === 'id') return [sql`d.id ${direction}`]
  return [
    own ? sql`${ownTimes[own]} ${direction}` : sql`${inOrder(fieldValue(path))} ${direction} nulls last`,
    sql`d.id`,
  ]
}

function indexDirection(kind: FieldIndexKind): Fragment {
  return kind === 'desc' || kind === 'time desc' ? sql`desc` : sql`asc`
}

export function isTimeKind(kind: FieldIndexKind): boolean {
  return kind === 'time asc' || kind === 'time desc'
}

/** Returns the kind of index that serves a sort. */
export function sortKind({ direction, isTime }: Sort): OrderKind {
  return isTime ? `time ${direction}` : direction
}

/** Inlines the parameters, because index definitions cannot have any. Removes the table alias too. */
export function inlined({ text, values }: Fragment): string {
  return text.replaceAll(/\bd\./g, '').replaceAll(/\$(\d+)/g, (_, number) => textLiteral(values[Number(number) - 1]))
}
