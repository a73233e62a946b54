/** Queries that seeds need. */
import type { StoredDocument } from '../../client/protocol/model/document.js'
import type { FileRecord } from '../../client/protocol/model/file.js'
import { type Database, sql, writing } from '../database/port.js'
import { columns, type DocumentRow, fromRow, type Holder } from './documents.js'
import { type FileRow, fileColumns, fileFromRow, isOrphan } from './files.js'
import { folderSpellings } from './lists/files.js'

/**
 * Returns the ids of documents by a text, number or boolean in a field, as written by `JSON.stringify`. For duplicates,
 * the first.
 */
export async function selectIdsByField(db: Database, collection: string, field: string): Promise<Map<string, string>> {
  const rows = await db.query<{ id: string; value: string }>(sql`
    select d.id, (d.data #> array[${field}::text])::text as value
    from documents d
    where d.collection_id = ${collection}
      and jsonb_typeof(d.data #> array[${field}::text]) in ('string', 'number', 'boolean')
    order by d.id desc`)
  // The database formats some numbers differently.
  return new Map(rows.map(({ id, value }) => [JSON.stringify(JSON.parse(value)), id]))
}

/** Returns the first document that contains these fields. */
export async function selectMatching(
  db: Database,
  collection: Holder,
  fields: string,
): Promise<StoredDocument | undefined> {
  const [row] = await db.query<DocumentRow>(sql`
    select ${columns} from documents d
    where d.collection_id = ${collection.id} and d.data @> ${fields}::jsonb
    order by d.id
    limit 1`)
  return row && fromRow(row, collection)
}

/** Returns ids of some documents of a collection. */
export async function selectSomeIds(db: Database, collection: string, limit: number): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`
    select d.id from documents d where d.collection_id = ${collection} order by d.id limit ${limit}::int`)
  return rows.map(({ id }) => id)
}

/** Returns the file without an owner of that name in a folder. */
export async function selectStandalone(
  db: Database,
  project: string,
  { path, name }: Pick<FileRecord, 'path' | 'name'>,
): Promise<FileRecord | undefined> {
  const [row] = await db.query<FileRow>(sql`
    select ${fileColumns} from files f
    where f.project_id = ${project} and f.stays and f.path = any(${folderSpellings(path)}::text[]) and f.name = ${name}
    order by f.id
    limit 1`)
  return row && fileFromRow(row)
}

/** Returns the files of a document or user. */
export async function selectOwnerFiles(db: Database, owner: string): Promise<FileRecord[]> {
  const rows = await db.query<FileRow>(sql`
    select ${fileColumns} from files f where f.document_id = ${owner} or f.user_id = ${owner} order by f.id`)
  return rows.map(fileFromRow)
}

/** A user with the secrets that only the service reads. */
export interface SeededUser {
  readonly id: string
  readonly email: string
  readonly data: string
  readonly roles: readonly string[]
  readonly verified: boolean
  readonly passwordHash: string | null
  readonly twoFactor: string | null
  readonly identity: { readonly provider: string; readonly subject: string } | null
}

/** Returns all users of a project, oldest first. */
export async function selectSeededUsers(db: Database, project: string): Promise<SeededUser[]> {
  interface Row {
    id: string
    email: string
    data: string
    roles: string
    email_verified: boolean
    password_hash: string | null
    totp_secret: string | null
    oauth_provider: string | null
    oauth_id: string | null
  }
  const rows = await db.query<Row>(sql`
    select u.id, u.email, u.data, u.roles, u.email_verified, s.password_hash, s.totp_secret, u.oauth_provider, u.oauth_id
    from users u
    left join user_secrets s on s.user_id = u.id
    where u.project_id = ${project}
    order by u.id`)
  return rows.map((row) => ({
    ...{ id: row.id, email: row.email, data: row.data, verified: row.email_verified },
    ...{ roles: JSON.parse(row.roles), passwordHash: row.password_hash, twoFactor: row.totp_secret },
    identity:
      row.oauth_provider === null || row.oauth_id === null
        ? null
        : { provider: row.oauth_provider, subject: row.oauth_id },
  }))
}

/** Returns all files of a project with their owners, oldest first. */
export async function selectSeededFiles(
  db: Database,
  project: string,
): Promise<(Pick<FileRecord, 'id' | 'name' | 'path'> & { readonly owner: string | null })[]> {
  return db.query(sql`
    select f.id, f.name, f.path, coalesce(f.document_id, f.user_id) as owner
    from files f
    where f.project_id = ${project} and not (${isOrphan})
    order by f.id`)
}

/** Orphans all files of a project without an owner. */
export async function orphanStandalone(db: Database, project: string): Promise<void> {
  await db.query(writing(sql`update files set stays = false where project_id = ${project} and stays`))
}
