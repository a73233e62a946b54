/** Defines the tables for queries of the console: their contents, how they are read, and their columns in the copy. */
import type { FieldType, StoredCollection } from '../../../client/protocol/model/collection.js'
import { sizes } from '../../../client/protocol/model/limits.js'
import {
  type Database,
  type Fragment,
  joinSql,
  literal,
  plannedEachTime,
  quotedName,
  sql,
} from '../../database/port.js'
import { selectCount } from '../collections.js'
import { isOrphan } from '../files.js'
import { isExactly, maxTextBytes } from '../sql-fragments.js'

export type ColumnType = 'text' | 'number' | 'boolean' | 'time' | 'json'
type Column = { readonly name: string; readonly type: ColumnType }

export interface View {
  readonly name: string
  readonly columns: readonly Column[]
  /** The collection, whose changes are numbered. Undefined for users and files. */
  readonly collection: string | undefined
  /** The number of its rows. */
  readonly count: number
  /** The columns of its table in the copy. */
  readonly stored: readonly Column[]
  /** The columns it shows of a row `d` of that table. */
  readonly shown: Fragment
  /** Selects rows after an id, in order. */
  readonly rowsAfter: (id: string) => Fragment
}

const maxColumns = 200
const sampled = { documents: 200, maxBytes: 65_536 }

/** The columns of documents and users that are not fields of their data. */
const ownColumns: readonly Column[] = [
  { name: 'id', type: 'text' },
  { name: 'created_at', type: 'time' },
  { name: 'updated_at', type: 'time' },
]
const versionColumn: Column = { name: 'version', type: 'number' }
const dataColumn: Column = { name: 'data', type: 'json' }
const ownNames = new Set(['id', 'created_at', 'updated_at', 'version', 'data', 'email', 'email_verified', 'roles'])

/** Builds the view of a collection, with the fields of its schema and its newest documents. */
export async function buildCollectionView(db: Database, { id, name, schema }: StoredCollection): Promise<View> {
  const fields = new Map<string, ColumnType>()
  for (const [field, { type }] of Object.entries(schema)) if (type !== 'any') fields.set(field, ofSchema[type])
  for (const { name: field, type } of await selectFields(db, id)) if (!fields.has(field)) fields.set(field, type)
  const fieldColumns = [...fields].filter(([field]) => isColumn(field)).slice(0, maxColumns)
  const shown = [sql`d.id, d.created_at, d.updated_at, d.version`, ...fieldColumns.map(columnSql), sql`d.data`]
  return {
    ...{ name, collection: id, count: await selectCount(db, id) },
    columns: [
      ...ownColumns,
      versionColumn,
      ...fieldColumns.map(([field, type]) => ({ name: field, type })),
      dataColumn,
    ],
    stored: [...ownColumns, versionColumn, dataColumn],
    shown: joinSql(shown, ', '),
    rowsAfter: (after) => sql`
      select d.id, d.created_at, d.updated_at, d.version, d.data, ${maxTextBytes(sql`d.data`)}::bigint as text_bytes
      from documents d
      where ${isExactly(sql`d.collection_id`, id)} and d.id > ${after}::uuid
      order by d.collection_id, d.id`,
  }
}

/** Builds the view of a project's users, as a server sees them. */
export async function buildUsersView(db: Database, project: string): Promise<View> {
  const [counted] = await db.query<{ users: number }>(sql`select users from user_counts where project_id = ${project}`)
  const columns: readonly Column[] = [
    ...ownColumns,
    { name: 'email', type: 'text' },
    { name: 'email_verified', type: 'boolean' },
    { name: 'roles', type: 'json' },
    dataColumn,
  ]
  return {
    ...{ name: 'users', collection: undefined, count: counted?.users ?? 0, columns, stored: columns, shown: sql`d.*` },
    rowsAfter: (after) => sql`
      select u.id, u.created_at, u.updated_at, u.email, u.email_verified, u.roles, u.data,
        ${maxTextBytes(sql`u.data`)}::bigint as text_bytes
      from users u
      where ${isExactly(sql`u.project_id`, project)} and u.id > ${after}::uuid
      order by u.project_id, u.id`,
  }
}

/** Builds the view of a project's files, without their bytes. */
export async function buildFilesView(db: Database, project: string): Promise<View> {
  const [counted] = await db.query<{ files: number }>(sql`select files from file_totals where project_id = ${project}`)
  const texts = ['name', 'path', 'mime_type', 'document_id', 'collection_id', 'user_id']
  const columns: readonly Column[] = [
    { name: 'id', type: 'text' },
    { name: 'created_at', type: 'time' },
    { name: 'size', type: 'number' },
    ...texts.map((name) => ({ name, type: 'text' as const })),
  ]
  return {
    ...{ name: 'files', collection: undefined, count: counted?.files ?? 0, columns, stored: columns, shown: sql`d.*` },
    rowsAfter: (after) => sql`
      select f.id, f.created_at, f.size, f.name, f.path, f.mime_type, f.document_id, f.collection_id, f.user_id,
        0::bigint as text_bytes
      from files f
      where ${isExactly(sql`f.project_id`, project)} and f.id > ${after}::uuid and not (${isOrphan})
      order by f.project_id, f.id`,
  }
}

/** Small enough that reading and sending a page delays no one. */
const page = { maxRows: 500, maxBytes: 4 * sizes.maxDocumentBytes }
const beforeAll = '00000000-0000-0000-0000-000000000000'

export interface ViewPage {
  /** A JSON array. */
  readonly rows: string
  readonly count: number
  readonly last: string
}

/** Reads the rows of a view in pages. */
export async function* selectViewPages(db: Database, { rowsAfter }: View): AsyncGenerator<ViewPage> {
  for (let after = beforeAll; ; ) {
    const [read] = await db.query<{ rows: string | null; count: number; last: string | null }>(sql`
      select json_agg(row_to_json(p) order by p.id)::text as rows, count(*)::int as count,
        max(p.id::text collate "C") as last
      from (
        select r.*, sum(r.text_bytes) over (order by r.id rows between unbounded preceding and 1 preceding) as bytes_before
        from (${rowsAfter(after)} limit ${literal(page.maxRows)}) r
      ) p
      where coalesce(p.bytes_before, 0) <= ${literal(page.maxBytes)}`)
    if (!read?.rows || !read.last) return
    yield { rows: read.rows, count: read.count, last: read.last }
    after = read.last
  }
}

/** Returns the project's last number. A collection read after this contains all changes up to it. */
export async function selectLastNumber(db: Database, project: string): Promise<number> {
  const [row] = await db.query<{ last: number }>(sql`
    select coalesce((select last_seq from sequences where project_id = ${project}), 0)::bigint as last`)
  return row?.last ?? 0
}

/** Whether a collection may have changed after that number. True if changes have been trimmed. */
export async function selectHasChanged(
  db: Database,
  { project, collection, after }: { project: string; collection: string; after: number },
): Promise<boolean> {
  const [row] = await db.query<{ has_changed: boolean }>(sql`
    select coalesce((select s.kept_after > ${after}::bigint from sequences s where s.project_id = ${project}), false)
      or exists (
        select from changes c
        where c.project_id = ${project} and c.seq > ${after}::bigint and c.collection_id = ${collection}
      )
      or exists (select from pending_changes p where p.project_id = ${project} and p.collection_id = ${collection})
      as has_changed`)
  return row?.has_changed !== false
}

const ofSchema: Readonly<Record<Exclude<FieldType, 'any'>, ColumnType>> = {
  string: 'text',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
  array: 'json',
  object: 'json',
  datetime: 'text',
  file: 'json',
  link: 'json',
}

const ofJson: Readonly<Record<string, ColumnType>> = { string: 'text', number: 'number', boolean: 'boolean' }

/** Returns the fields of the newest documents. A field with values of several types is JSON. */
async function selectFields(db: Database, collection: string): Promise<{ name: string; type: ColumnType }[]> {
  const rows = await db.query<{ name: string; type: string; types: number }>(
    plannedEachTime(sql`
      select f.key as name, min(f.type) as type, count(distinct f.type)::int as types
      from (
        select d.data
        from documents d
        where ${isExactly(sql`d.collection_id`, collection)} and pg_column_size(d.data) <= ${literal(sampled.maxBytes)}
        order by d.collection_id desc, d.id desc
        limit ${literal(sampled.documents)}
      ) as newest,
      lateral (select e.key, jsonb_typeof(e.value) as type from jsonb_each(newest.data) e) as f
      where f.type <> 'null'
      group by f.key
      order by count(*) desc, f.key collate "C"
      limit ${literal(maxColumns)}`),
  )
  return rows.map(({ name, type, types }) => ({ name, type: (types === 1 ? ofJson[type] : undefined) ?? 'json' }))
}

/** Excludes names that PostgreSQL would truncate, because two could become equal. */
function isColumn(field: string): boolean {
  return field !== '' && !ownNames.has(field) && Buffer.byteLength(field) <= 63
}

/** Returns null for a value of another type, instead of a cast, which could fail or change it. */
function columnSql([field, type]: readonly [string, ColumnType]): Fragment {
  const name = quotedName(field)
  const [json, text] = [sql`d.data -> ${field}::text`, sql`d.data ->> ${field}::text`]
  if (type === 'json') return sql`${json} as ${name}`
  if (type === 'text') return sql`${text} as ${name}`
  if (type === 'number') return sql`case jsonb_typeof(${json}) when 'number' then (${text})::numeric end as ${name}`
  return sql`case jsonb_typeof(${json}) when 'boolean' then (${text})::boolean end as ${name}`
}
