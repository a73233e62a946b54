import type { FileRecord, StorageUsage } from '../../client/protocol/model/file.js'
import { type Database, type Fragment, makingRoom, nothing, sql, writing } from '../database/port.js'

/** Sorts before every other id, so that all come after it. */
const beforeAll = '00000000-0000-0000-0000-000000000000'

interface PieceOfFiles {
  readonly last?: string | undefined
  readonly most: number
}

/** The owner of a file: a document, a user, or none, in which case it stays until it is deleted. */
export type FileOwner = { readonly document: string; readonly collection: string } | { readonly user: string } | 'none'

export interface FileRow {
  id: string
  name: string
  path: string
  size: number
  mime_type: string
  created_at: string
}

export const fileColumns = sql`f.id, f.name, f.path, f.size, f.mime_type, f.created_at`

/** An orphan has no owner and does not stay. Its row waits until its bytes are removed. */
export const isOrphan = sql`not f.stays and f.document_id is null and f.user_id is null`

/** The owner of new files, and the storage limit of their project. */
interface FileTarget {
  readonly project: string
  readonly owner: FileOwner
  readonly limitBytes: number | null
  readonly at: string
}

type NewFile = Omit<FileRecord, 'createdAt'>

/** Inserts files and counts them if they fit under the limit. Returns false otherwise, and changes nothing. */
export async function insertFiles(db: Database, target: FileTarget, files: readonly NewFile[]): Promise<boolean> {
  const inserted = await db.query(insertion(target, files, sql`0`))
  if (inserted.length > 0) return true
  // Ignores orphans. Locks the total before summing them up, because one that is removed in between would be subtracted
  // twice.
  const [, late = []] = await db.batch([
    lockedTotal(target.project),
    insertion(target, files, orphanedBytes(target.project)),
  ])
  return late.length > 0
}

function insertion(
  { project, owner, limitBytes, at }: FileTarget,
  files: readonly NewFile[],
  uncountedBytes: Fragment,
): Fragment {
  const bytes = files.reduce((sum, { size }) => sum + size, 0)
  const [document, collection] =
    typeof owner === 'object' && 'document' in owner ? [owner.document, owner.collection] : []
  const user = typeof owner === 'object' && 'user' in owner ? owner.user : null
  return writing(sql`
    with counted as (
      update file_totals t set files = t.files + ${files.length}::int, bytes = t.bytes + ${bytes}::bigint
      where t.project_id = ${project}
        and (${limitBytes}::bigint is null or t.bytes + ${bytes}::bigint - ${uncountedBytes} <= ${limitBytes}::bigint)
      returning t.project_id
    )
    insert into files (id, project_id, name, path, size, mime_type, stays, document_id, collection_id, user_id, created_at)
    select fresh.id, counted.project_id, fresh.name, fresh.path, fresh.size, fresh.mime_type, ${owner === 'none'},
      ${document ?? null}::uuid, ${collection ?? null}::uuid, ${user}::uuid, ${at}::timestamptz
    from counted, unnest(
      ${files.map(({ id }) => id)}::uuid[],
      ${files.map(({ name }) => name)}::text[],
      ${files.map(({ path }) => path)}::text[],
      ${files.map(({ size }) => String(size))}::bigint[],
      ${files.map(({ mimeType }) => mimeType)}::text[]
    ) as fresh (id, name, path, size, mime_type)
    returning 1 as one`)
}

/** Returns a public file, with the settings of its project as JSON. */
export async function selectFile(
  db: Database,
  id: string,
): Promise<{ file: FileRecord; settings: string } | undefined> {
  const [row] = await db.query<FileRow & { settings: string }>(sql`
    select ${fileColumns}, p.settings
    from files f
    join projects p on p.id = f.project_id
    where f.id = ${id} and not (${isOrphan})`)
  return row && { file: fileFromRow(row), settings: row.settings }
}

export async function selectUsage(db: Database, project: string): Promise<Pick<StorageUsage, 'files' | 'bytes'>> {
  const [row] = await db.query<{ files: number; bytes: number }>(sql`
    select t.files - ${orphanedFiles(project)} as files, (t.bytes - ${orphanedBytes(project)})::bigint as bytes
    from file_totals t
    where t.project_id = ${project}`)
  return row ?? { files: 0, bytes: 0 }
}

/** Orphans a file without an owner. Returns whether it existed. */
export async function orphanFile(db: Database, project: string, id: string): Promise<boolean> {
  const rows = await db.query(
    makingRoom(sql`
      update files f set stays = false
      where f.id = ${id} and f.project_id = ${project} and f.stays
      returning 1 as one`),
  )
  return rows.length > 0
}

/** Returns the files of documents and users, by the id of their owner. */
export async function selectOwned(db: Database, owners: readonly string[]): Promise<{ id: string; owner: string }[]> {
  return db.query<{ id: string; owner: string }>(sql`
    select f.id, coalesce(f.document_id, f.user_id) as owner
    from files f
    where f.document_id = any(${owners}::uuid[]) or f.user_id = any(${owners}::uuid[])`)
}

/** Orphans files with owners. */
export async function orphanFiles(db: Database, ids: readonly string[]): Promise<void> {
  await db.query(
    writing(sql`
    update files set document_id = null, collection_id = null, user_id = null where id = any(${ids}::uuid[])`),
  )
}

/** Turns files with owners into files without one, which stay. */
export async function keepFiles(db: Database, ids: readonly string[]): Promise<void> {
  await db.query(
    writing(sql`
    update files set stays = true, document_id = null, collection_id = null, user_id = null where id = any(${ids}::uuid[])`),
  )
}

/** Orphans all files of a collection's documents. */
export async function orphanCollectionFiles(db: Database, collection: string): Promise<void> {
  await db.query(
    writing(sql`
    update files set document_id = null, collection_id = null where collection_id = ${collection}`),
  )
}

export interface Orphan {
  readonly id: string
  /** Whether a snapshot still needs its bytes. */
  readonly isHeld: boolean
}

/** Returns some orphans of a project or, without one, of any, except these. */
export async function selectOrphans(
  db: Database,
  { most, except = [], project }: { most: number; except?: readonly string[]; project?: string | undefined },
): Promise<Orphan[]> {
  // Unordered: with an order, the planner would read all files instead of the index of orphans.
  const rows = await db.query<{ id: string; is_held: boolean }>(sql`
    select f.id, exists (select from snapshot_files h where h.file_id = f.id) as is_held
    from files f
    where ${isOrphan} and f.id <> all(${except}::uuid[])
      ${project === undefined ? nothing : sql`and f.project_id = ${project}`}
    limit ${most}::int`)
  return rows.map(({ id, is_held: isHeld }) => ({ id, isHeld }))
}

/** Orphans some files of a project after an id, in order, whatever their owner. Returns the last id. */
export async function orphanFilesAfter(
  db: Database,
  project: string,
  { last = beforeAll, most }: PieceOfFiles,
): Promise<string | undefined> {
  const rows = await db.query<{ id: string }>(
    makingRoom(sql`
      update files set stays = false, document_id = null, collection_id = null, user_id = null
      where id = any (array(
        select f.id
        from files f
        where f.project_id = ${project} and f.id > ${last} and not (${isOrphan})
        order by f.id
        limit ${most}::int
      ))
      returning id`),
  )
  return rows
    .map(({ id }) => id)
    .sort()
    .at(-1)
}

/**
 * Deletes orphans whose bytes are gone or needed by a snapshot, and updates the totals. If that snapshot has been
 * deleted in between, the row stays, because only it still refers to the bytes.
 */
export async function deleteOrphans(db: Database, orphans: readonly Orphan[]): Promise<void> {
  const ids = orphans.map(({ id }) => id)
  const takenForHeld = orphans.filter(({ isHeld }) => isHeld).map(({ id }) => id)
  await db.query(
    makingRoom(sql`
      with held as (
        select h.file_id from snapshot_files h where h.file_id = any(${takenForHeld}::uuid[]) for share
      ), deleted as (
        delete from files f
        where f.id = any(${ids}::uuid[]) and ${isOrphan}
          and (f.id <> all(${takenForHeld}::uuid[]) or f.id in (select file_id from held))
        returning f.project_id, f.size
      )
      update file_totals t set files = t.files - gone.files, bytes = t.bytes - gone.bytes
      from (select project_id, count(*) as files, sum(size)::bigint as bytes from deleted group by project_id) as gone
      where t.project_id = gone.project_id`),
  )
}

/** Returns the ids that have a row, or whose bytes a snapshot needs. */
export async function selectExisting(db: Database, ids: readonly string[]): Promise<string[]> {
  const rows = await db.query<{ id: string }>(selectKnown(ids))
  return rows.map(({ id }) => id)
}

function selectKnown(ids: readonly string[]): Fragment {
  return sql`
    select f.id from files f where f.id = any(${ids}::uuid[])
    union
    select h.file_id from snapshot_files h where h.file_id = any(${ids}::uuid[])`
}

function lockedTotal(project: string): Fragment {
  return sql`select 1 as one from file_totals where project_id = ${project} for update`
}

/**
 * Returns the ids that have a row, after all running inserts of the project's files. Each of them holds the project's
 * total until it commits.
 */
export async function selectSettled(db: Database, project: string, ids: readonly string[]): Promise<string[]> {
  const [, rows = []] = await db.batch([lockedTotal(project), selectKnown(ids)])
  return (rows as { id: string }[]).map(({ id }) => id)
}

/** Does the same for ids of any project, and briefly blocks inserts of files. */
export async function selectSettledAnywhere(db: Database, ids: readonly string[]): Promise<string[]> {
  return db.transaction(async (tx) => {
    await tx.query(sql`lock table files in share mode`)
    return selectExisting(tx, ids)
  })
}

/** Counts the files with bytes: those of all projects, orphans included, and those that only snapshots hold. */
export async function selectFileCount(db: Database): Promise<number> {
  const [row] = await db.query<{ files: number }>(sql`
    select coalesce((select sum(files)::bigint from file_totals), 0) + (
        select count(distinct h.file_id)
        from snapshot_files h
        where not exists (select from files f where f.id = h.file_id)
      ) as files`)
  return row?.files ?? 0
}

/** Returns ids after one, in order. */
export async function selectIdsAfter(db: Database, { last = beforeAll, most }: PieceOfFiles): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`
    select f.id from files f where f.id > ${last} and not (${isOrphan}) order by f.id limit ${most}::int`)
  return rows.map(({ id }) => id)
}

/** Returns the files among the ids, with their projects. */
export async function selectFilesWithIds(
  db: Database,
  ids: readonly string[],
): Promise<(FileRecord & { project: string })[]> {
  const rows = await db.query<FileRow & { project: string }>(sql`
    select ${fileColumns}, f.project_id as project
    from files f
    where f.id = any(${ids}::uuid[]) and not (${isOrphan})
    order by f.id`)
  return rows.map((row) => ({ ...fileFromRow(row), project: row.project }))
}

/** Returns the id under which this database stores bytes. Drawn on first use. */
export async function ensureFilesId(db: Database): Promise<string> {
  const selectId = sql`select id from file_place`
  const [known] = await db.query<{ id: string }>(selectId)
  if (known) return known.id
  const [, drawn] = await db.batch([
    writing(sql`insert into file_place (id) values (gen_random_uuid()) on conflict do nothing`),
    selectId,
  ])
  return String((drawn as { id: string }[])[0]?.id)
}

function orphanedBytes(project: string): Fragment {
  return sql`(select coalesce(sum(f.size), 0) from files f where f.project_id = ${project} and ${isOrphan})`
}

export function orphanedFiles(project: string): Fragment {
  return sql`(select count(*) from files f where f.project_id = ${project} and ${isOrphan})`
}

export function fileFromRow(row: FileRow): FileRecord {
  return {
    id: row.id,
    name: row.name,
    path: row.path,
    size: row.size,
    mimeType: row.mime_type,
    createdAt: row.created_at,
  }
}
