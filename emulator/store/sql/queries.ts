/** An untrusted query, over views that stand for its tables: how it is written, estimated and carried out. */
import {
  type Database,
  type Fragment,
  givenText,
  joinSql,
  plannedEachTime,
  quotedName,
  type Sql,
  sql,
} from '../../database/port.js'
import type { View } from './views.js'

/** What stands before and after the query in a statement, so that places in the one are places in the other. */
export interface WrittenQuery {
  readonly statement: Sql
  /** Where in its text the query begins. */
  readonly start: number
}

/** Before the statement when it is looked at first, which is where most of its faults are found. */
export const explaining = 'explain (format json) '

const end = '\n) as answer'

/**
 * The query as a part of a statement that knows its views by name, and nothing else by name that a query could mean. Each view
 * is read before conditions of the query are looked at (`offset 0`): none can fail over rows that are not the view's.
 */
export function writeQuery(views: readonly View[], query: string, mostRows: number): WrittenQuery {
  const rows = sql`select coalesce((select json_agg(value) from json_each(row_to_json(answer))), '[]')::text as row`
  const limit = ` limit ${Math.trunc(mostRows)}`
  const statement = plannedEachTime(
    sql`${naming(views)}${rows} from (\n${givenText(query)}${givenText(end)}${givenText(limit)}`,
  )
  return { statement, start: statement.text.length - limit.length - end.length - query.length }
}

/** A statement that answers one row of nulls, as the names of the columns. */
function writeNames(views: readonly View[], query: string): Sql {
  return plannedEachTime(sql`
    ${naming(views)}
    select (select json_agg(key) from json_each(row_to_json(named)))::text as row
    from (
      select answer.*
      from (select 1) as one
      left join (select found.* from (\n${givenText(query)}\n) as found limit 0) as answer on true
    ) as named`)
}

function naming(views: readonly View[]): Fragment {
  if (views.length === 0) return sql``
  const named = views.map(({ name, rows }) => sql`${quotedName(name)} as not materialized (${rows})`)
  return sql`with ${joinSql(named, ', ')} `
}

export interface QueryLimits {
  readonly mostMilliseconds: number
  /** As the planner counts it; what it expects to cost more is not begun. */
  readonly mostCost: number
}

export interface QueryRows {
  readonly columns: readonly string[]
  /** Each as the JSON of its values. */
  readonly rows: readonly string[]
}

/** Nothing comes back for a query that would cost too much. It can only read, and only what has a schema in its name. */
export function runWritten(
  db: Database,
  { views, query, written }: { views: readonly View[]; query: string; written: WrittenQuery },
  { mostMilliseconds, mostCost }: QueryLimits,
): Promise<QueryRows | undefined> {
  return db.transaction(async (tx) => {
    await tx.query(sql`
      select set_config('transaction_read_only', 'on', true), set_config('search_path', '', true),
        set_config('statement_timeout', ${String(mostMilliseconds)}, true)`)
    const { text, values } = written.statement
    const [planned] = await tx.query<{ 'QUERY PLAN': string }>({
      ...{ text: explaining + text, values, planned: 'each time' },
    })
    if (costOf(planned?.['QUERY PLAN']) > mostCost) return undefined
    const [names] = await tx.query<{ row: string | null }>(writeNames(views, query))
    const rows = await tx.query<{ row: string }>(written.statement)
    return { columns: JSON.parse(names?.row ?? '[]'), rows: rows.map(({ row }) => row) }
  })
}

function costOf(plan = '[]'): number {
  const [{ Plan: whole } = {}]: { Plan?: { 'Total Cost': number } }[] = JSON.parse(plan)
  return whole?.['Total Cost'] ?? 0
}
