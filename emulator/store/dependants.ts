/** Finds the documents that link to a record. Contract 13.3. */
import type { Schema, StoredCollection } from '../../client/protocol/model/collection.js'
import { type Database, type Fragment, joinSql, plannedEachTime, sql } from '../database/port.js'
import { hasOnDelete, isLinkedFrom } from './links.js'
import { type Covered, isCovered } from './memberships.js'
import { maxTextBytes } from './sql-fragments.js'

export async function isLinked(db: Database, project: string, to: string): Promise<boolean> {
  const [row] = await db.query<{ is_linked: boolean }>(sql`select ${isLinkedFrom(project, to)} as is_linked`)
  return row?.is_linked === true
}

/** A collection whose schema mentions `onDelete`. */
export type LinkingCollection = Pick<StoredCollection, 'id' | 'name' | 'schema' | 'unique' | 'permissions'>

/** @param to id of a collection that the schema mentions, whatever `onDelete` says. Default: any, with `onDelete` */
export async function selectLinkingCollections(
  db: Database,
  project: string,
  to?: string,
): Promise<LinkingCollection[]> {
  const isLinking = to === undefined ? hasOnDelete : sql`c.schema::text like ${`%"${to}"%`}`
  const rows = await db.query<{ id: string; name: string; schema: string; unique: string; permissions: string }>(sql`
    select c.id, c.name, c.schema, coalesce(c.unique_fields, '[]') as unique, c.permissions
    from collections c
    where c.project_id = ${project} and ${isLinking}
    order by c.id`)
  return rows.map(({ id, name, schema, unique, permissions }) => ({
    ...{ id, name },
    schema: JSON.parse(schema) as Schema,
    unique: JSON.parse(unique) as string[][],
    permissions: JSON.parse(permissions) as StoredCollection['permissions'],
  }))
}

export interface LinkingDocument {
  readonly id: string
  /** An upper bound of its data. */
  readonly maxBytes: number
}

/** Locks documents that contain any of the JSON values, up to a limit, in order of their ids. */
export async function lockContaining(
  tx: Database,
  collection: string,
  contained: readonly string[],
  limit: number,
): Promise<LinkingDocument[]> {
  const rows = await tx.query<{ id: string; max_bytes: number }>(
    plannedEachTime(sql`
    select d.id, ${maxTextBytes(sql`d.data`)}::bigint as max_bytes
    from documents d
    where ${containsAny(collection, contained)}
    order by d.id
    limit ${limit}::int
    for update`),
  )
  return rows.map(({ id, max_bytes: maxBytes }) => ({ id, maxBytes }))
}

/** Returns ids of documents that contain any of the JSON values, up to a limit. */
export async function selectContaining(
  db: Database,
  collection: string,
  contained: readonly string[],
  { limit, part }: { readonly limit: number; readonly part?: Covered | undefined },
): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    plannedEachTime(sql`
    select d.id
    from documents d
    where ${containsAny(collection, contained)} and ${isCovered(part)}
    limit ${limit}::int`),
  )
  return rows.map(({ id }) => id)
}

function containsAny(collection: string, contained: readonly string[]): Fragment {
  return sql`d.collection_id = ${collection}::uuid and d.data @> any(${contained}::jsonb[])`
}

/** Returns the exact size of the data of some documents. */
export async function selectDataBytes(db: Database, ids: readonly string[]): Promise<number> {
  const [row] = await db.query<{ bytes: number }>(sql`
    select coalesce(sum(octet_length(d.data::text)), 0)::bigint as bytes from documents d where d.id = any(${ids}::uuid[])`)
  return row?.bytes ?? 0
}

/** Documents that link to a collection: all of them, and those that the caller may read. */
export interface LinkingCounts {
  readonly all: number
  readonly readable: number
}

/**
 * Counts documents of a collection that link to documents of another one, up to a limit.
 *
 * @param paths lead to the ids, as `jsonpath`
 */
export async function countLinking(
  db: Database,
  collection: string,
  { to, paths }: { readonly to: string; readonly paths: readonly string[] },
  { limit, part }: { readonly limit: number; readonly part: Covered | undefined },
): Promise<LinkingCounts> {
  const ids = paths.map((path) => sql`record_ids(jsonb_path_query_array(d.data, ${path}::jsonpath))`)
  const [row] = await db.query<LinkingCounts>(sql`
    select count(*) as "all", count(*) filter (where ${isCovered(part)}) as readable
    from (
      select d.* from documents d
      where d.collection_id = ${collection}::uuid and exists (
        select from documents linked
        where linked.id = any(${joinSql(ids, ' || ')}) and linked.collection_id = ${to}::uuid
      )
      limit ${limit}::int
    ) as d`)
  return row ?? { all: 0, readable: 0 }
}
