/** What goes on in the transaction that brings something back, and how a row of a snapshot is compared and copied. */
import { type Database, type Fragment, identifier, joinSql, sql, writing } from '../../database/port.js'
import { numbersLeftOut } from '../realtime/changes.js'
import { keptIn, onItsOwn, type PartName, partNames, parts, tableOf } from './parts.js'

/** By part, the columns that the snapshot's table and today's have in common. A column that was added since keeps its default. */
export type CommonColumns = ReadonlyMap<string, readonly string[]>

export interface Restoring {
  readonly tx: Database
  readonly project: string
  /** The snapshot's. */
  readonly id: string
  readonly columns: CommonColumns
  /** What documents that are brought back are at: no document of the project has been there. Contract 9.4. */
  readonly version: number
}

/** In a transaction that has locked the project: all that was written has its number. */
export async function openRestoring(tx: Database, project: string, id: string): Promise<Restoring> {
  return { tx, project, id, columns: await selectColumns(tx, id), version: await drawVersion(tx, project, id) }
}

export async function selectColumns(tx: Database, id: string): Promise<CommonColumns> {
  const rows = await tx.query<{ part: string; columns: string }>(sql`
    select part, json_agg(mine.attname order by mine.attnum)::text as columns
    from unnest(${partNames}::text[], ${partNames.map((part) => tableOf(id, part))}::text[]) as tables (part, kept)
    join pg_attribute mine on mine.attrelid = part::regclass and mine.attnum > 0
      and not mine.attisdropped and mine.attgenerated = ''
    join pg_attribute theirs on theirs.attrelid = kept::regclass and theirs.attname = mine.attname and theirs.attnum > 0
      and not theirs.attisdropped
    group by part`)
  return new Map(rows.map(({ part, columns }) => [part, JSON.parse(columns) as string[]]))
}

/**
 * Every write of a document draws a number of the project, so no version is above the last one, whatever was deleted since. A
 * snapshot that comes from elsewhere can have higher ones: then numbers are left out, so that this is so again.
 */
async function drawVersion(tx: Database, project: string, id: string): Promise<number> {
  const writes = sql`s.last_seq % ${numbersLeftOut}::bigint`
  const [drawn] = await tx.query<{ version: number }>(
    onItsOwn(
      writing(sql`
      update sequences s
      set last_seq = s.last_seq - ${writes} + greatest(${writes}, of.version)
      from (
        select greatest(
          (select max(version) from ${keptIn(id, 'documents')}),
          (select max(t.version) from documents t where ${parts.documents.rowsOf(project)})
        ) as version
      ) of
      where s.project_id = ${project}
      returning (s.last_seq % ${numbersLeftOut}::bigint + 1)::int as version`),
    ),
  )
  return drawn?.version ?? 1
}

/** The version of a document is nothing that it holds: one that is brought back is as it was, at another version. */
function isVersion(part: PartName, column: string): boolean {
  return part === 'documents' && column === 'version'
}

/** What is in a row of a table or a snapshot, as text. */
export function contentOf(columns: CommonColumns, part: PartName, row: Fragment): Fragment {
  const compared = comparedColumns(columns, part).map((column) => sql`${row}.${column}`)
  return sql`row(${joinSql(compared, ', ')})::text`
}

export function comparedColumns(columns: CommonColumns, part: PartName): Fragment[] {
  return (columns.get(part) ?? []).filter((column) => !isVersion(part, column)).map(identifier)
}

/** The columns of a row that is brought back. */
export function restoredColumns({ columns }: Restoring, part: PartName): Fragment {
  return joinSql((columns.get(part) ?? []).map(identifier), ', ')
}

/** Their values, of the row `s` of the snapshot. */
export function restoredValues(restoring: Restoring, part: PartName): Fragment {
  const columns = restoring.columns.get(part) ?? []
  return joinSql(
    columns.map((column) => restoredValue(restoring, part, column)),
    ', ',
  )
}

/** Both, as an update has them. */
export function restoredChanges(restoring: Restoring, part: PartName): Fragment {
  const columns = restoring.columns.get(part) ?? []
  return joinSql(
    columns.map((column) => sql`${identifier(column)} = ${restoredValue(restoring, part, column)}`),
    ', ',
  )
}

function restoredValue({ version }: Restoring, part: PartName, column: string): Fragment {
  return isVersion(part, column) ? sql`${version}::int` : sql`s.${identifier(column)}`
}
