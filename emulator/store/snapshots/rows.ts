/** Reads the rows of a snapshot as JSON text, and writes them to the tables of a new one, in batches. */
import {
  type Database,
  DatabaseError,
  type Fragment,
  identifier,
  joinSql,
  literal,
  sql,
  writing,
} from '../../database/port.js'
import { keptIn, type PartName, partNames, parts, snapshotTable, unprepared } from './parts.js'

/** Pages of a table read at once; fewer if their rows are large. */
const maxPages = 16
/** More rows than fit on a page of 8 KB. */
const maxRowsOfPage = 300

/** The columns of a snapshot's tables, by part. */
export async function selectKeptColumns(db: Database, id: string): Promise<ReadonlyMap<string, readonly string[]>> {
  const rows = await db.query<{ part: string; columns: string }>(sql`
    select part, json_agg(a.attname order by a.attnum)::text as columns
    from unnest(${partNames}::text[], ${partNames.map((part) => snapshotTable(id, part))}::text[]) as tables (part, kept)
    join pg_attribute a on a.attrelid = kept::regclass and a.attnum > 0 and not a.attisdropped
    group by part`)
  return new Map(rows.map(({ part, columns }) => [part, JSON.parse(columns) as string[]]))
}

/** Reads all rows of a part in physical order. The table does not change, so it needs neither a sort nor an index. */
export async function* selectKeptRows(db: Database, id: string, part: PartName): AsyncGenerator<string[]> {
  const kept = keptIn(id, part)
  const table = snapshotTable(id, part)
  const [size] = await db.query<{ pages: number }>(
    sql`select (pg_relation_size(${table}::regclass) / current_setting('block_size')::int)::bigint as pages`,
  )
  const pages = size?.pages ?? 0
  const rowsIn = (isIn: Fragment) => rowsWhere(db, kept, isIn)
  let step = maxPages
  for (let page = 0; page < pages; ) {
    const end = Math.min(pages, page + step)
    const rows = await rowsIn(sql`ctid >= ${rowPosition(page, 0)} and ctid < ${rowPosition(end, 0)}`).catch(
      noneIfTooLarge,
    )
    if (rows) {
      yield rows
      page = end
      step = Math.min(maxPages, step * 2)
    } else if (step > 1) step = Math.floor(step / 2)
    else {
      for (let row = 1; row <= maxRowsOfPage; row++) yield await rowsIn(sql`ctid = ${rowPosition(page, row)}`)
      page = end
    }
  }
}

async function rowsWhere(db: Database, kept: Fragment, isIn: Fragment): Promise<string[]> {
  const rows = await db.query<{ row: string }>(
    unprepared(sql`select row_to_json(t)::text as row from ${kept} t where ${isIn}`),
  )
  return rows.map(({ row }) => row)
}

function rowPosition(page: number, row: number): Fragment {
  return sql`('(' || ${literal(page)} || ',' || ${literal(row)} || ')')::tid`
}

function noneIfTooLarge(error: unknown): undefined {
  if (error instanceof DatabaseError && error.kind === 'result too large') return
  throw error
}

/** Creates the tables of an imported snapshot, with the columns that this database has. */
export async function createKeptTables(
  tx: Database,
  id: string,
  columns: ReadonlyMap<string, readonly string[]>,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const known = new Map<string, readonly string[]>()
  for (const part of partNames) {
    const rows = await tx.query<{ name: string }>(sql`
      select attname as name from pg_attribute
      where attrelid = ${part}::regclass and attnum > 0 and not attisdropped and attgenerated = ''
        and attname = any(${columns.get(part) ?? []}::text[])
      order by attnum`)
    const names = rows.map(({ name }) => name)
    if (!names.includes(parts[part].key)) continue
    known.set(part, names)
    const list = joinSql(names.map(identifier), ', ')
    await tx.query(
      unprepared(writing(sql`create table ${keptIn(id, part)} as select ${list} from ${identifier(part)} limit 0`)),
    )
  }
  return known
}

/** Inserts rows from JSON text, and replaces the id of their project. */
export async function insertKeptRows(
  tx: Database,
  { id, project, part, columns }: { id: string; project: string; part: PartName; columns: readonly string[] },
  rows: readonly string[],
): Promise<void> {
  const list = joinSql(columns.map(identifier), ', ')
  const isProject = (name: string) => name === 'project_id' || (part === 'projects' && name === 'id')
  const values = columns.map((name) => (isProject(name) ? sql`${project}` : sql`r.${identifier(name)}`))
  await tx.query(
    unprepared(
      writing(sql`
      insert into ${keptIn(id, part)} (${list})
      select ${joinSql(values, ', ')} from json_populate_recordset(null::${keptIn(id, part)}, ${`[${rows.join(',')}]`}::json) r`),
    ),
  )
}

/** Returns why a snapshot's tables are not a valid state. Undefined if they can be loaded. */
export async function selectFault(tx: Database, id: string): Promise<string | undefined> {
  const kept = (part: PartName) => keptIn(id, part)
  const twice = partNames.map((part) => {
    const key = identifier(parts[part].key)
    return sql`select ${`the same row of ${part} twice`} as fault
      where exists (select from ${kept(part)} group by ${key} having count(*) > 1 or ${key} is null)`
  })
  const lost = (part: PartName, column: string, owner: PartName) => sql`
    select ${`a row of ${part} whose ${column} is missing`} as fault
    where exists (
      select from ${kept(part)} t
      where t.${identifier(column)} is not null and not exists (select from ${kept(owner)} o where o.id = t.${identifier(column)})
    )`
  const faults = [
    ...twice,
    lost('documents', 'collection_id', 'collections'),
    lost('user_secrets', 'user_id', 'users'),
    lost('sessions', 'user_id', 'users'),
    lost('files', 'document_id', 'documents'),
    lost('files', 'user_id', 'users'),
    sql`select 'two collections with the same name' as fault
      where exists (select from ${kept('collections')} group by name having count(*) > 1)`,
    sql`select 'two users with the same email' as fault
      where exists (select from ${kept('users')} group by email_key having count(*) > 1)`,
    sql`select 'a document that is not an object' as fault
      where exists (select from ${kept('documents')} where jsonb_typeof(data) is distinct from 'object')`,
    sql`select 'no project, or more than one' as fault where (select count(*) from ${kept('projects')}) <> 1`,
  ]
  const [first] = await tx.query<{ fault: string }>(unprepared(sql`${joinSql(faults, ' union all ')} limit 1`))
  return first?.fault
}

/** Returns the files of a snapshot with their sizes. */
export async function* selectKeptFiles(db: Database, id: string): AsyncGenerator<{ id: string; size: number }> {
  for await (const rows of selectKeptRows(db, id, 'files')) {
    for (const row of rows) {
      const file = JSON.parse(row) as { id: string; size: number }
      yield { id: file.id, size: file.size }
    }
  }
}
