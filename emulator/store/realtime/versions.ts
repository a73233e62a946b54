/**
 * Reads the versions of a document from the changes. They have no index by document, so all of the project are
 * searched.
 */

import { JsonText } from '../../../client/protocol/model/json.js'
import { type Database, type Fragment, nothing, sql } from '../../database/port.js'
import { sequencerFor } from '../sequencer/sequencer.js'
import type { RecordedDocumentChange } from './changes.js'
import { copyColumns, copyOf, maxCopyBytes } from './copies.js'

export interface VersionRow {
  readonly seq: number
  readonly kind: RecordedDocumentChange['kind']
  readonly version: number
  /** The document after the change, or its last state if it was deleted. */
  readonly data: JsonText
  readonly at: string
  /** The state before an update. */
  readonly before: { readonly data: JsonText; readonly at: string } | null
}

export interface VersionTarget {
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

const maxBytes = 8 * 1024 * 1024

/** Returns changes of a document, newest first, as many as fit a page, and whether there are more. */
export async function selectVersions(
  db: Database,
  { project, collection, document }: VersionTarget,
  { before, most }: { before: number | undefined; most: number },
): Promise<{ readonly rows: readonly VersionRow[]; readonly hasMore: boolean }> {
  await sequencerFor(db).number(db, project)
  const onlyBefore = before === undefined ? nothing : sql`and seq < ${before}::bigint`
  const rows = await db.query<Row & { found: number }>(sql`
    select seq, kind, version, ${copyOf} as data, before, before_updated_at, recorded_at, found
    from (
      select ${copyColumns}, seq, kind, version, before, before_updated_at, recorded_at, count(*) over () as found,
        sum(${maxCopyBytes})
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
    where coalesce(bytes_before, 0) <= ${maxBytes}::int
    order by seq desc
    limit ${most}::int`)
  return { rows: rows.map(fromRow), hasMore: rows.length < (rows[0]?.found ?? 0) }
}

/**
 * Returns the changes that made some versions of a document, and the next ones, which contain the state before them.
 */
export async function selectVersionsAt(
  db: Database,
  { project, collection, document }: VersionTarget,
  versions: readonly number[],
): Promise<VersionRow[]> {
  await sequencerFor(db).number(db, project)
  const wanted = versions.flatMap((version) => [String(version), String(version + 1)])
  const rows = await db.query<Row>(sql`
    select seq, kind, version, ${copyOf} as data, before, before_updated_at, recorded_at
    from changes c
    where project_id = ${project} and collection_id = ${collection}::uuid and document_id = ${document}::uuid
      and ${isSinceReset(project, collection)} and version = any(${wanted}::int[])
    order by seq desc`)
  return rows.map(fromRow)
}

/** Ignores changes from before a reset, which are soon deleted in the background. */
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
