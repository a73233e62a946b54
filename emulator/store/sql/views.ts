/** What a query of the console reads: each collection as rows of typed columns, and users without their secrets. */
import type { FieldType, StoredCollection } from '../../../client/protocol/model/collection.js'
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
import { isExactly } from '../sql-words.js'

export type ColumnType = 'text' | 'number' | 'boolean' | 'time' | 'uuid' | 'json'

export interface View {
  readonly name: string
  readonly columns: readonly { readonly name: string; readonly type: ColumnType }[]
  /** A select of the columns. */
  readonly rows: Fragment
  /** How many rows it has. */
  readonly count: number
}

const mostColumns = 200
const sampled = { documents: 200, mostBytes: 65_536 }

/** The columns of documents and users that are no fields of their data. */
const ownTypes = { id: 'uuid', created_at: 'time', updated_at: 'time' } as const
const ownNames = new Set(['id', 'created_at', 'updated_at', 'version', 'data', 'email', 'email_verified', 'roles'])

/** A collection with the fields that its schema names and those of its newest documents. */
export async function viewOfCollection(db: Database, { id, name, schema }: StoredCollection): Promise<View> {
  const fields = new Map<string, ColumnType>()
  for (const [field, { type }] of Object.entries(schema)) if (type !== 'any') fields.set(field, ofSchema[type])
  for (const { name: field, type } of await selectFields(db, id)) if (!fields.has(field)) fields.set(field, type)
  const shown = [...fields].filter(([field]) => isColumn(field)).slice(0, mostColumns)
  const rows = sql`
    select d.id, d.created_at, d.updated_at, d.version, ${joinSql([...shown.map(columnOf), sql`d.data`], ', ')}
    from svc.documents d
    where d.collection_id = ${id}
    offset 0`
  return {
    ...{ name, rows, count: await selectCount(db, id) },
    columns: [
      ...Object.entries(ownTypes).map(([own, type]) => ({ name: own, type })),
      { name: 'version', type: 'number' },
      ...shown.map(([field, type]) => ({ name: field, type })),
      { name: 'data', type: 'json' },
    ],
  }
}

/** The users of a project as a server sees them. */
export async function viewOfUsers(db: Database, project: string): Promise<View> {
  const [counted] = await db.query<{ users: number }>(sql`select users from user_counts where project_id = ${project}`)
  return {
    ...{ name: 'users', count: counted?.users ?? 0 },
    columns: [
      ...Object.entries(ownTypes).map(([own, type]) => ({ name: own, type })),
      { name: 'email', type: 'text' },
      { name: 'email_verified', type: 'boolean' },
      { name: 'roles', type: 'json' },
      { name: 'data', type: 'json' },
    ],
    rows: sql`
      select u.id, u.created_at, u.updated_at, u.email, u.email_verified, u.roles, u.data
      from svc.users u
      where u.project_id = ${project}
      offset 0`,
  }
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
}

const ofJson: Readonly<Record<string, ColumnType>> = { string: 'text', number: 'number', boolean: 'boolean' }

/** The fields of the newest documents; one whose values are of several types is JSON. */
async function selectFields(db: Database, collection: string): Promise<{ name: string; type: ColumnType }[]> {
  const rows = await db.query<{ name: string; type: string; types: number }>(
    plannedEachTime(sql`
      select f.key as name, min(f.type) as type, count(distinct f.type)::int as types
      from (
        select d.data
        from documents d
        where ${isExactly(sql`d.collection_id`, collection)} and pg_column_size(d.data) <= ${literal(sampled.mostBytes)}
        order by d.collection_id desc, d.id desc
        limit ${literal(sampled.documents)}
      ) as newest,
      lateral (select e.key, jsonb_typeof(e.value) as type from jsonb_each(newest.data) e) as f
      where f.type <> 'null'
      group by f.key
      order by count(*) desc, f.key collate "C"
      limit ${literal(mostColumns)}`),
  )
  return rows.map(({ name, type, types }) => ({ name, type: (types === 1 ? ofJson[type] : undefined) ?? 'json' }))
}

/** PostgreSQL cuts longer names, so that two could become one. */
function isColumn(field: string): boolean {
  return field !== '' && !ownNames.has(field) && Buffer.byteLength(field) <= 63
}

/** A value of another type than the column's is null, rather than what a cast would make of it or fail with. */
function columnOf([field, type]: readonly [string, ColumnType]): Fragment {
  const name = quotedName(field)
  const [json, text] = [sql`d.data -> ${field}::text`, sql`d.data ->> ${field}::text`]
  if (type === 'json') return sql`${json} as ${name}`
  if (type === 'text') return sql`${text} as ${name}`
  if (type === 'number') return sql`case jsonb_typeof(${json}) when 'number' then (${text})::numeric end as ${name}`
  return sql`case jsonb_typeof(${json}) when 'boolean' then (${text})::boolean end as ${name}`
}
