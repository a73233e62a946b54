/** Compares two states of a project: two snapshots, or a snapshot and now. */
import { type Database, type Fragment, identifier, sql } from '../../database/port.js'
import { keptIn, type PartName, parts, unprepared } from './parts.js'
import { selectColumns } from './restoring.js'

export type DifferenceKind = 'added' | 'removed' | 'changed'

export interface Difference {
  readonly id: string
  /** null for documents. */
  readonly name: string | null
  readonly kind: DifferenceKind
  /** The changed fields. */
  readonly fields: readonly string[]
}

/** The differences of a part or, for documents, of one collection. */
export interface Differences {
  readonly collection: string | null
  readonly counts: Readonly<Record<DifferenceKind, number>>
  /** The first differences. */
  readonly records: readonly Difference[]
}

/**
 * The compared content, name and collection of a row `t`. Times of writes are ignored. Secrets are compared only by
 * hash.
 */
const compared = {
  projects: { content: sql`t.settings`, name: sql`null::text`, group: sql`null::uuid` },
  collections: {
    content: sql`jsonb_build_object('name', t.name, 'schema', t.schema, 'unique', t.unique_fields, 'title', t.title,
      'permissions', t.permissions)`,
    name: sql`t.name`,
    group: sql`null::uuid`,
  },
  documents: { content: sql`t.data`, name: sql`null::text`, group: sql`t.collection_id` },
  users: {
    content: sql`t.data || jsonb_build_object('email', t.email, 'roles', t.roles, 'email_verified', t.email_verified,
      'password', md5(secrets.password_hash), '2fa', md5(secrets.totp_secret))`,
    name: sql`t.email`,
    group: sql`null::uuid`,
  },
  files: {
    content: sql`jsonb_build_object('name', t.name, 'path', t.path, 'document', t.document_id, 'user', t.user_id)`,
    name: sql`t.name`,
    group: sql`null::uuid`,
  },
  idp_accounts: {
    content: sql`jsonb_build_object('name', t.name, 'email', t.email, 'emailVerified', t.email_verified, 'claims', t.claims)`,
    name: sql`t.name`,
    group: sql`null::uuid`,
  },
} as const satisfies { readonly [Part in PartName]?: Readonly<Record<'content' | 'name' | 'group', Fragment>> }

export type ComparedPart = keyof typeof compared

interface Sides {
  readonly project: string
  /** Ids of snapshots. Without `to`, compares with now. */
  readonly from: string
  readonly to: string | undefined
  /** The number of records listed for each collection or part. */
  readonly most: number
}

export async function selectDifferences(
  tx: Database,
  part: ComparedPart,
  { project, from, to, most }: Sides,
): Promise<Differences[]> {
  const { content, name, group } = compared[part]
  const creator = part === 'documents' && (await knowCreators(tx, from, to)) ? sql`t.created_by` : sql`null::uuid`
  const side = (snapshot: string | undefined) => {
    const tableFor = (each: PartName) => (snapshot === undefined ? identifier(each) : keptIn(snapshot, each))
    const secrets =
      part === 'users' ? sql`left join ${tableFor('user_secrets')} secrets on secrets.user_id = t.id` : sql``
    const rows = snapshot === undefined ? parts[part].rowsIn(project) : sql`true`
    return sql`(
      select t.id::text as id, ${group} as collection, ${name} as name, ${content} as content, ${creator} as creator
      from ${tableFor(part)} t ${secrets}
      where ${rows})`
  }
  const rows = await tx.query<{ collection: string | null; counts: string; records: string }>(
    unprepared(sql`
      with different as (
        select coalesce(b.id, a.id) as id, coalesce(a.collection, b.collection) as collection, coalesce(a.name, b.name) as name,
          case when b.id is null then 'added' when a.id is null then 'removed' else 'changed' end as kind,
          b.content as before, a.content as after, a.creator is distinct from b.creator as is_given_away
        from ${side(from)} b
        full join ${side(to)} a on a.id = b.id
        where a.id is null or b.id is null or a.content <> b.content or a.creator is distinct from b.creator
      ), numbered as (
        select *, row_number() over (partition by collection order by id) as at from different
      )
      select collection,
        json_build_object(
          'added', count(*) filter (where kind = 'added'),
          'removed', count(*) filter (where kind = 'removed'),
          'changed', count(*) filter (where kind = 'changed')
        )::text as counts,
        coalesce(json_agg(json_build_object('id', id, 'name', name, 'kind', kind, 'fields', coalesce((
          select json_agg(key order by key)
          from (
            select key from jsonb_each(before) x (key, value) full join jsonb_each(after) y (key, value) using (key)
            where x.value is distinct from y.value
            union
            select 'created_by' where is_given_away
          ) fields
          where kind = 'changed'
        ), '[]')) order by id) filter (where at <= ${most}::int), '[]')::text as records
      from numbered
      group by collection
      order by collection`),
  )
  return rows.map(({ collection, counts, records }) => ({
    collection,
    counts: JSON.parse(counts),
    records: JSON.parse(records),
  }))
}

/** Whether both sides record creators. Older snapshots do not. */
async function knowCreators(tx: Database, ...sides: readonly (string | undefined)[]): Promise<boolean> {
  const snapshots = sides.filter((side) => side !== undefined)
  const columns = await Promise.all(snapshots.map((snapshot) => selectColumns(tx, snapshot)))
  return columns.every((parts) => parts.get('documents')?.includes('created_by'))
}

/** Returns the names of collections on either side, by id. The later names win. */
export async function selectNames(tx: Database, { project, from, to }: Sides): Promise<Map<string, string>> {
  const after =
    to === undefined
      ? sql`select id, name from collections where project_id = ${project}`
      : sql`select id, name from ${keptIn(to, 'collections')}`
  const rows = await tx.query<{ id: string; name: string }>(
    unprepared(sql`
      select coalesce(a.id, b.id) as id, coalesce(a.name, b.name) as name
      from (select id, name from ${keptIn(from, 'collections')}) b
      full join (${after}) a on a.id = b.id`),
  )
  return new Map(rows.map(({ id, name }) => [id, name]))
}
