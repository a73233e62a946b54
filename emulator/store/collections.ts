import type { Permissions, Schema, StoredCollection } from '../../client/protocol/model/collection.js'
import { type Database, nothing, sql, writing } from '../database/port.js'
import { pendingDocuments } from './sequencer/sequencer.js'
import { fingerprintRules } from './unique-rules.js'
import { deleteRemovedValues } from './unique-values.js'

interface CollectionRow {
  id: string
  name: string
  schema: string
  permissions: string
  unique_fields: string | null
  title: string | null
  created_at: string
  updated_at: string
}

const columns = sql`c.id, c.name, c.schema, c.permissions, c.unique_fields, c.title, c.created_at, c.updated_at`

/** Returns whether it was inserted: false if the name is taken. */
export async function insertCollection(db: Database, project: string, collection: StoredCollection): Promise<boolean> {
  const { id, name, schema, permissions, title = null, createdAt, updatedAt } = collection
  const insert = writing(sql`
    with inserted as (
      insert into collections (id, project_id, name, schema, permissions, unique_fields, title, created_at, updated_at)
      values (${id}, ${project}, ${name}, ${JSON.stringify(schema)}::json, ${JSON.stringify(permissions)}::jsonb,
        ${uniqueFields(collection)}::jsonb, ${title}, ${createdAt}, ${updatedAt})
      on conflict (project_id, name) do nothing
      returning id
    ), born as (
      insert into births (collection_id, after)
      select inserted.id, s.last_seq from inserted, sequences s where s.project_id = ${project}
    )
    insert into document_counts (collection_id, documents, unique_rules)
    select id, 0, ${fingerprintRules(collection)} from inserted
    returning collection_id`)
  return (await db.query(insert)).length > 0
}

/** Returns a number that precedes all changes of a collection; 0 if unknown. */
export async function selectBirth(db: Database, id: string): Promise<number> {
  const [row] = await db.query<{ after: number }>(sql`select after from births where collection_id = ${id}`)
  return row?.after ?? 0
}

/** A collection that is not parsed yet. */
interface UnreadCollection {
  readonly id: string
  readonly name: string
  /** The size of its JSON. */
  readonly bytes: number
  read(): StoredCollection
}

/** Returns all collections of a project. Parses their schemas and permissions on demand. */
export async function selectCollections(db: Database, project: string): Promise<UnreadCollection[]> {
  const rows = await db.query<CollectionRow>(
    sql`select ${columns} from collections c where c.project_id = ${project} order by c.id`,
  )
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    bytes: row.schema.length + row.permissions.length + (row.unique_fields?.length ?? 0),
    read: () => fromRow(row),
  }))
}

/** Returns the ids of the oldest collections. */
export async function selectCollectionIds(db: Database, project: string, most: number): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    sql`select c.id from collections c where c.project_id = ${project} order by c.id limit ${most}::int`,
  )
  return rows.map(({ id }) => id)
}

/** Finds collections by name or id. */
export async function selectNamedCollections(
  db: Database,
  project: string,
  namesOrIds: readonly string[],
): Promise<Pick<StoredCollection, 'id' | 'name'>[]> {
  return db.query<{ id: string; name: string }>(sql`
    select c.id, c.name
    from collections c
    where c.project_id = ${project} and (c.name = any (${namesOrIds}::text[]) or c.id::text = any (${namesOrIds}::text[]))`)
}

/** Returns the size of the settings of all collections of a project as JSON, plus `otherBytes` for each collection. */
export async function selectCollectionBytes(db: Database, project: string, otherBytes: number): Promise<number> {
  const [row] = await db.query<{ bytes: number }>(sql`
    select coalesce(sum(octet_length(c.schema::text) + octet_length(c.permissions::text)
      + coalesce(octet_length(c.unique_fields::text), 0) + coalesce(octet_length(c.title), 0)
      + ${otherBytes}::int), 0)::bigint as bytes
    from collections c
    where c.project_id = ${project}`)
  return row?.bytes ?? 0
}

/** Returns the collections of a project that have unique rules, or whose writers follow some. */
export async function selectRuledCollections(db: Database, project: string): Promise<StoredCollection[]> {
  const rows = await db.query<CollectionRow>(sql`
    select ${columns}
    from collections c
    join document_counts n on n.collection_id = c.id
    where c.project_id = ${project}
      and (c.unique_fields is not null or strpos(c.schema::text, '"unique"') > 0 or n.unique_rules <> '')
    order by c.id`)
  return rows.map(fromRow)
}

/** Returns the different permissions of all collections with permissions, in all projects. */
export async function selectAllPermissions(db: Database): Promise<Pick<StoredCollection, 'name' | 'permissions'>[]> {
  const rows = await db.query<{ name: string; permissions: string }>(sql`
    select distinct c.name, c.permissions::text as permissions from collections c where c.permissions::text <> '{}'`)
  return rows.map(({ name, permissions }) => ({ name, permissions: JSON.parse(permissions) }))
}

/** Returns the name of any collection, read from an index. */
export async function selectSomeName(db: Database, project: string): Promise<string | undefined> {
  const [row] = await db.query<{ name: string }>(
    sql`select c.name from collections c where c.project_id = ${project} order by c.name limit 1`,
  )
  return row?.name
}

/** Finds a collection by name, else by id. */
export async function selectCollection(
  db: Database,
  project: string,
  nameOrId: string,
  { lock = false } = {},
): Promise<StoredCollection | undefined> {
  const [row] = await db.query<CollectionRow>(sql`
    select ${columns}
    from collections c
    where c.project_id = ${project} and (c.name = ${nameOrId} or c.id::text = ${nameOrId})
    order by (c.name = ${nameOrId}) desc
    limit 1
    ${lock ? sql`for update` : nothing}`)
  return row && fromRow(row)
}

/** @throws {DatabaseError} `taken` for the name of another collection */
export async function updateCollection(db: Database, collection: StoredCollection): Promise<void> {
  const { id, name, schema, permissions, title = null, updatedAt } = collection
  const update = writing(sql`
    update collections
    set name = ${name}, schema = ${JSON.stringify(schema)}::json, permissions = ${JSON.stringify(permissions)}::jsonb,
      unique_fields = ${uniqueFields(collection)}::jsonb, title = ${title}, updated_at = ${updatedAt}
    where id = ${id}`)
  await db.query(update)
}

export async function selectCount(db: Database, collectionId: string): Promise<number> {
  const [row] = await db.query<{ documents: number }>(
    sql`
    select n.documents + ${pendingDocuments(sql`c.project_id`, sql`c.id`)} as documents
    from document_counts n
    join collections c on c.id = n.collection_id
    where n.collection_id = ${collectionId}`,
  )
  return row?.documents ?? 0
}

/** Removes the collection. Its documents are unreachable, and `deleteRemovedDocuments` deletes them. */
export async function deleteCollection(db: Database, collectionId: string): Promise<void> {
  await db.query(
    writing(sql`
    with removed as (delete from collections where id = ${collectionId} returning id)
    update document_counts set is_removed = true where collection_id = (select id from removed)`),
  )
}

/** Deletes some documents of removed collections. Returns whether there may be more. */
export async function deleteRemovedDocuments(db: Database, maxDocuments: number): Promise<boolean> {
  const [removed] = await db.query<{ collection_id: string }>(
    sql`select collection_id from document_counts where is_removed limit 1`,
  )
  if (!removed) return false
  // A snapshot may restore the collection in between.
  const isRemoved = sql`collection_id = ${removed.collection_id} and exists (
    select from document_counts where collection_id = ${removed.collection_id} and is_removed
  )`
  const swept = await db.query(sql`
    delete from documents
    where id = any (array(select id from documents where ${isRemoved} limit ${maxDocuments}::int))
    returning 1 as one`)
  if (swept.length > 0 || (await deleteRemovedValues(db, removed.collection_id, maxDocuments))) return true
  await db.query(sql`delete from document_counts where collection_id = ${removed.collection_id} and is_removed`)
  return true
}

function uniqueFields({ unique = [] }: StoredCollection): string | null {
  return unique.length > 0 ? JSON.stringify(unique) : null
}

function fromRow(row: CollectionRow): StoredCollection {
  return {
    id: row.id,
    name: row.name,
    schema: JSON.parse(row.schema) as Schema,
    permissions: JSON.parse(row.permissions) as Permissions,
    ...(row.unique_fields === null ? {} : { unique: JSON.parse(row.unique_fields) as string[][] }),
    ...(row.title === null ? {} : { title: row.title }),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}
