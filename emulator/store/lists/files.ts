/** Lists files: who sees them, in which order, and how many. */
import type { FileRecord } from '../../../client/protocol/model/file.js'
import type { Page } from '../../../client/protocol/model/page.js'
import { type Database, type Fragment, joinSql, nothing, sql } from '../../database/port.js'
import { type FileRow, fileColumns, fileFromRow, isOrphan, orphanedFiles } from '../files.js'
import { isExactly, pageEnd } from '../sql-fragments.js'
import { hidesNothing, type Reader, readable, readableWhole } from './where.js'

/** The audience of files without an owner. */
const publicAudience = '00000000-0000-0000-0000-000000000000'

/** The caller of a list. */
export interface FileReader extends Reader {
  /** The id of the signed-in user. */
  readonly user: string | undefined
}

interface FileQuery {
  readonly project: string
  readonly path: string
  readonly reader: FileReader
}

interface PageEnd {
  readonly limit: number
  readonly offset: number
}

/**
 * Lists the files in a folder and below that a reader may see, newest first. The page and the total are from one
 * snapshot. Omits collections that hide fields from the reader, because the address of a file may be in any field.
 */
export async function selectFiles(
  db: Database,
  { project, path, reader }: FileQuery,
  page: PageEnd,
): Promise<Page<FileRecord>> {
  const found =
    path !== ''
      ? below(project, path, page)
      : reader.mayReadAll
        ? everywhere(project, page)
        : shown(project, reader, page)
  const rows = await db.query<{ total: number } & ({ id: null } | FileRow)>(sql`
    ${found.above}
    select counted.total, ${fileColumns}
    from (${found.total}) as counted
    left join (${found.page}) f on true
    order by f.id desc`)
  return {
    items: rows.filter((row) => row.id !== null).map(fileFromRow),
    total: rows[0]?.total ?? 0,
    ...page,
  }
}

/** The parts of the statement: common table expressions, the page, and the total. */
interface Found {
  readonly above: Fragment
  readonly page: Fragment
  readonly total: Fragment
}

function everywhere(project: string, page: PageEnd): Found {
  return {
    above: nothing,
    page: sql`
      select ${fileColumns}
      from files f
      where ${isExactly(sql`f.project_id`, project)} and not (${isOrphan})
      order by f.project_id desc, f.id desc
      ${pageEnd(page)}`,
    total: sql`select t.files - ${orphanedFiles(project)} as total from file_totals t where t.project_id = ${project}`,
  }
}

/**
 * Takes the newest files of each of the reader's audiences from its index, and merges them. Files of others are never
 * read, however many there are.
 */
function shown(project: string, reader: FileReader, page: PageEnd): Found {
  const own = reader.user === undefined ? [publicAudience] : [publicAudience, reader.user]
  const wanted = pageEnd({ limit: page.limit + page.offset, offset: 0 })
  return {
    above: sql`
      with audiences as materialized (
        select n.audience_id, n.files
        from file_counts n
        where n.project_id = ${project} and n.audience_id = any(${own}::uuid[])
        union all
        select n.audience_id, n.files
        from collections c
        join file_counts n on n.project_id = c.project_id and n.audience_id = c.id
        where c.project_id = ${project} and ${readableWhole(reader)} and ${hidesNothing(reader)}
      ), created as materialized (${filesOfOwnDocuments(project, reader)})`,
    page: sql`
      select ${fileColumns}
      from (
        select ${fileColumns}
        from audiences a
        cross join lateral (
          select ${fileColumns}
          from files f
          where ${isExactly(sql`f.project_id`, project)} and ${isExactly(sql`f.audience_id`, sql`a.audience_id`)}
          order by f.project_id desc, f.audience_id desc, f.id desc
          ${wanted}
        ) f
        union all
        (select ${fileColumns} from created join files f on f.id = created.id order by f.id desc ${wanted})
      ) f
      order by f.id desc
      ${pageEnd(page)}`,
    total: sql`
      select coalesce(sum(a.files), 0)::bigint + (select count(*) from created) as total from audiences a`,
  }
}

/** Files of the reader's own documents, in collections that only allow reading these. */
function filesOfOwnDocuments(project: string, { user, ...reader }: FileReader): Fragment {
  if (user === undefined) return sql`select f.id from files f where false`
  return sql`
    select f.id
    from collections c
    join documents d on d.collection_id = c.id
    join files f on f.document_id = d.id
    where c.project_id = ${project} and ${readable({ ...reader, user })} and not ${readableWhole(reader)}
      and ${hidesNothing(reader)}`
}

/** Only files without an owner are in folders: those of documents and users are at the top. */
function below(project: string, path: string, page: PageEnd): Found {
  // "0" is the character after "/".
  const isBelow = folderSpellings(path).map(
    (form) => sql`f.path = ${form} or (f.path > ${`${form}/`} and f.path < ${`${form}0`})`,
  )
  const matching = sql`f.project_id = ${project} and (${joinSql(isBelow, ' or ')}) and f.stays`
  return {
    above: nothing,
    page: sql`
      select ${fileColumns} from files f where ${matching} order by f.project_id desc, f.id desc ${pageEnd(page)}`,
    total: sql`select count(*) as total from files f where ${matching}`,
  }
}

/** Returns the two spellings of a stored folder. Before folders were composed, Macs stored decomposed names. */
export function folderSpellings(folder: string): string[] {
  return [...new Set([folder, folder.normalize('NFD')])]
}

/** Whether a file of the project has an owner that the reader may see. */
export async function isOwned(db: Database, project: string, id: string, reader: FileReader): Promise<boolean> {
  const isOwn = reader.mayReadAll ? sql`true` : sql`f.user_id = ${reader.user ?? null}::uuid`
  const rows = await db.query(sql`
    select 1 as one
    from files f
    left join collections c on c.id = f.collection_id
    left join documents d on d.id = f.document_id
    where f.id = ${id} and f.project_id = ${project} and (
      (f.document_id is not null and c.id is not null and ${readable(reader)} and ${hidesNothing(reader)})
      or (f.user_id is not null and ${isOwn})
    )`)
  return rows.length > 0
}
