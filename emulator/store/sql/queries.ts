/** Prepares the throw-away copy for a query of the console: creates its tables, and formats and runs the query. */
import {
  type Database,
  DatabaseError,
  type Fragment,
  givenText,
  joinSql,
  literal,
  naming,
  plannedEachTime,
  quotedName,
  sql,
  writing,
} from '../../database/port.js'
import type { ColumnType, View, ViewPage } from './views.js'

const role = 'svc_console'

/** Creates two schemas: the loaded data, and the views for queries. The role can only read the views. */
export async function prepareCopy(copy: Database): Promise<void> {
  await copy.batch([
    sql`create schema loaded`,
    sql`create schema console`,
    sql`create role svc_console nologin`,
    sql`grant usage on schema console to svc_console`,
  ])
}

const typeNames: Readonly<Record<ColumnType, string>> = {
  text: 'text collate "C"',
  number: 'numeric',
  boolean: 'boolean',
  time: 'timestamptz',
  json: 'jsonb',
}
/** Column lists of JSON functions do not allow collations. */
const jsonTypeNames: typeof typeNames = { ...typeNames, text: 'text' }

const columnList = ({ stored }: View, types: typeof typeNames) =>
  joinSql(
    stored.map(({ name, type }) => sql`${quotedName(name)} ${givenText(types[type])}`),
    ', ',
  )

const loadedTable = ({ name }: Pick<View, 'name'>): Fragment => sql`loaded.${quotedName(name)}`

export async function createCopyTable(copy: Database, view: View): Promise<void> {
  const shown = sql`create view console.${quotedName(view.name)} as select ${view.shown} from ${loadedTable(view)} d`
  await copy.batch([
    sql`create unlogged table ${loadedTable(view)} (${columnList(view, typeNames)})`,
    // A view cannot have parameters.
    naming(shown, () => true),
    sql`grant select on console.${quotedName(view.name)} to svc_console`,
  ])
}

export async function insertCopyRows(copy: Database, view: View, { rows }: ViewPage): Promise<void> {
  await copy.query(
    writing(sql`
    insert into ${loadedTable(view)}
    select r.* from json_to_recordset(${rows}::json) as r (${columnList(view, jsonTypeNames)})`),
  )
}

/** Collects statistics; without them, joins would be planned for a few rows. */
export async function analyzeCopyTable(copy: Database, view: View): Promise<void> {
  await copy.query(sql`analyze ${loadedTable(view)}`)
}

export async function dropCopyTable(copy: Database, name: string): Promise<void> {
  await copy.query(sql`drop table if exists ${loadedTable({ name })} cascade`)
}

export interface QueryRows {
  readonly columns: readonly string[]
  /** Each is a JSON array of its values; null after the last one that fits into the answer. */
  readonly rows: readonly (string | null)[]
}

/** The prefix of the query, which callers subtract from the position of an error. */
export const beforeQuery = 'declare checked no scroll cursor for\n'

/** Thrown to roll back, which also resets settings that a query has changed. */
const done = new Error('The query is done.')

/** Runs a read-only query. @throws {DatabaseError} */
export async function runQueryOn(
  copy: Database,
  query: string,
  { maxRows, maxBytes }: { readonly maxRows: number; readonly maxBytes: number },
): Promise<QueryRows> {
  let found: QueryRows = { columns: [], rows: [] }
  const work = copy.transaction(async (tx) => {
    await tx.query(sql`
      select set_config('transaction_read_only', 'on', true), set_config('search_path', 'console, pg_catalog', true),
        set_config('role', ${role}, true)`)
    // Refuses everything except a single SELECT. Only then can the query not escape from its parentheses.
    await tx.query(plannedEachTime(sql`${givenText(beforeQuery)}${givenText(query)}`))
    const [names] = await tx.query<{ row: string | null }>(writeNames(query))
    if (!names) throw new DatabaseError('The database returned no row.', 'XX000')
    const rows = await tx.query<{ row: string | null }>(writeRows(query, maxRows, maxBytes))
    found = { columns: JSON.parse(names.row ?? '[]'), rows: rows.map(({ row }) => row) }
    throw done
  })
  await work.catch((error) => {
    if (error !== done) throw error
  })
  return found
}

/** Counts the bytes in the database, so that a large answer never leaves it. */
function writeRows(query: string, maxRows: number, maxBytes: number): Fragment {
  return plannedEachTime(sql`
    select case
      when sum(octet_length(written.row)) over (rows unbounded preceding) <= ${literal(maxBytes)} then written.row
    end as row
    from (
      select coalesce((select json_agg(value) from json_each(row_to_json(answer))), '[]')::text as row
      from (\n${givenText(query)}\n) as answer
      limit ${literal(maxRows)}
    ) as written`)
}

/** Joins the query with a row of nulls, to get the names of the columns. */
function writeNames(query: string): Fragment {
  return plannedEachTime(sql`
    select (select json_agg(key) from json_each(row_to_json(named)))::text as row
    from (
      select answer.*
      from (select 1) as one
      left join (select found.* from (\n${givenText(query)}\n) as found limit 0) as answer on true
    ) as named`)
}
