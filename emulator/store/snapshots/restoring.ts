/** The context of a restore, and how rows of a snapshot are compared and copied. */
import { type Database, type Fragment, identifier, joinSql, sql, writing } from '../../database/port.js'
import { numbersLeftOut } from '../realtime/changes.js'
import { keptIn, type PartName, partNames, parts, snapshotTable, unprepared } from './parts.js'

/** By part, the columns that the snapshot's table and the current one share. Columns added since keep their default. */
export type CommonColumns = ReadonlyMap<string, readonly string[]>

export interface Restoring {
  readonly tx: Database
  readonly project: string
  /** The id of the snapshot. */
  readonly id: string
  readonly columns: CommonColumns
  /** The version of restored documents: greater than any that the project has used. Contract 9.4. */
  readonly version: number
}

/** Call in a transaction that has locked the project, after all changes have been numbered. */
export async function openRestoring(tx: Database, project: string, id: string): Promise<Restoring> {
  return { tx, project, id, columns: await selectColumns(tx, id), version: await drawVersion(tx, project, id) }
}

export async function selectColumns(tx: Database, id: string): Promise<CommonColumns> {
  const rows = await tx.query<{ part: string; columns: string }>(sql`
    select part, json_agg(mine.attname order by mine.attnum)::text as columns
    from unnest(${partNames}::text[], ${partNames.map((part) => snapshotTable(id, part))}::text[]) as tables (part, kept)
    join pg_attribute mine on mine.attrelid = part::regclass and mine.attnum > 0
      and not mine.attisdropped and mine.attgenerated = ''
    join pg_attribute theirs on theirs.attrelid = kept::regclass and theirs.attname = mine.attname and theirs.attnum > 0
      and not theirs.attisdropped
    group by part`)
  return new Map(rows.map(({ part, columns }) => [part, JSON.parse(columns) as string[]]))
}

/**
 * Every write draws a number of the project, so no version exceeds the last one, whatever was deleted since. An
 * imported snapshot can have higher versions: then it skips numbers to restore that.
 */
async function drawVersion(tx: Database, project: string, id: string): Promise<number> {
  const writes = sql`s.last_seq % ${numbersLeftOut}::bigint`
  const [drawn] = await tx.query<{ version: number }>(
    unprepared(
      writing(sql`
      update sequences s
      set last_seq = s.last_seq - ${writes} + greatest(${writes}, of.version)
      from (
        select greatest(
          (select max(version) from ${keptIn(id, 'documents')}),
          (select max(t.version) from documents t where ${parts.documents.rowsIn(project)})
        ) as version
      ) of
      where s.project_id = ${project}
      returning (s.last_seq % ${numbersLeftOut}::bigint + 1)::int as version`),
    ),
  )
  return drawn?.version ?? 1
}

/** The version is not part of a document's content: a restored document has a new one. */
function isVersion(part: PartName, column: string): boolean {
  return part === 'documents' && column === 'version'
}

/** The content of a row of a table or a snapshot, as text. */
export function rowContent(columns: CommonColumns, part: PartName, row: Fragment): Fragment {
  const compared = comparedColumns(columns, part).map((column) => sql`${row}.${column}`)
  return sql`row(${joinSql(compared, ', ')})::text`
}

export function comparedColumns(columns: CommonColumns, part: PartName): Fragment[] {
  return (columns.get(part) ?? []).filter((column) => !isVersion(part, column)).map(identifier)
}

/** The columns of a restored row. */
export function restoredColumns({ columns }: Restoring, part: PartName): Fragment {
  return joinSql((columns.get(part) ?? []).map(identifier), ', ')
}

/** Their values in the row `s` of the snapshot. */
export function restoredValues(restoring: Restoring, part: PartName): Fragment {
  const columns = restoring.columns.get(part) ?? []
  return joinSql(
    columns.map((column) => restoredValue(restoring, part, column)),
    ', ',
  )
}

/** Both, in the form for an update. */
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
