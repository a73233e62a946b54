/** What changes hold of one document. They have no index by document: those of its project are looked through. */

import { JsonText } from '../../../client/protocol/model/json.js'
import { type Database, type Fragment, nothing, sql } from '../../database/port.js'
import type { RecordedDocumentChange } from './changes.js'
import { copyColumns, copyOf, mostCopyBytes } from './copies.js'
import { numberChanges } from './numbering.js'

/** One change of a document. */
export interface VersionRow {
  readonly seq: number
  readonly kind: RecordedDocumentChange['kind']
  readonly version: number
  /** As it was afterwards; a deleted one, as it was last. */
  readonly data: JsonText
  readonly at: string
  /** What an update has changed. */
  readonly before: { readonly data: JsonText; readonly at: string } | null
}

export interface VersionPlace {
  readonly project: string
  readonly collection: string
  readonly document: string
}

interface Row {
  seq: number
  kind: VersionRow['kind']
  version: number
  data: string
  before: string | null
  before_updated_at: string | null
  recorded_at: string
}

const mostBytes = 8 * 1024 * 1024

/** Changes of a document, the newest first, as many as fit a page; and whether there are more. */
export async function selectVersions(
  db: Database,
  { project, collection, document }: VersionPlace,
  { before, most }: { before: number | undefined; most: number },
): Promise<{ readonly rows: readonly VersionRow[]; readonly hasMore: boolean }> {
  await numberChanges(db, project)
  const onlyBefore = before === undefined ? nothing : sql`and seq < ${before}::bigint`
  const rows = await db.query<Row & { found: number }>(sql`
    select seq, kind, version, ${copyOf} as data, before, before_updated_at, recorded_at, found
    from (
      select ${copyColumns}, seq, kind, version, before, before_updated_at, recorded_at, count(*) over () as found,
        sum(${mostCopyBytes})
          over (order by seq desc rows between unbounded preceding and 1 preceding) as bytes_before
      from (
        select ${copyColumns}, seq, kind, version, before, before_updated_at, recorded_at
        from changes
        where project_id = ${project} and collection_id = ${collection}::uuid and document_id = ${document}::uuid
          and ${isSinceReset(project, collection)} ${onlyBefore}
        order by seq desc
        limit ${most + 1}::int
      ) newest
    ) c
    where coalesce(bytes_before, 0) <= ${mostBytes}::int
    order by seq desc
    limit ${most}::int`)
  return { rows: rows.map(fromRow), hasMore: rows.length < (rows[0]?.found ?? 0) }
}

/** The changes that made some versions of a document, and those that came next: each holds what was before it. */
export async function selectVersionsAt(
  db: Database,
  { project, collection, document }: VersionPlace,
  versions: readonly number[],
): Promise<VersionRow[]> {
  await numberChanges(db, project)
  const wanted = versions.flatMap((version) => [String(version), String(version + 1)])
  const rows = await db.query<Row>(sql`
    select seq, kind, version, ${copyOf} as data, before, before_updated_at, recorded_at
    from changes c
    where project_id = ${project} and collection_id = ${collection}::uuid and document_id = ${document}::uuid
      and ${isSinceReset(project, collection)} and version = any(${wanted}::int[])
    order by seq desc`)
  return rows.map(fromRow)
}

/** What was before a reset is another life; its changes are deleted in the background, soon afterwards. */
function isSinceReset(project: string, collection: string): Fragment {
  return sql`seq > coalesce((
    select max(seq) from changes
    where project_id = ${project} and collection_id = ${collection}::uuid and kind = 'reset'
  ), 0)`
}

function fromRow(row: Row): VersionRow {
  const { seq, kind, version, data, before, recorded_at: at } = row
  const former = before === null ? null : { data: new JsonText(before), at: row.before_updated_at ?? at }
  return { seq, kind, version, data: new JsonText(data), at, before: former }
}
