/**
 * How much work a query can be at most, by what its views hold. The planner's own estimate is too low where its statistics are old,
 * and a statement that goes on and on cannot be ended on every engine.
 */
import { nodeOf, type Tree } from './check-query.js'

/** At most: how many rows come out, and how many are read and put beside one another for that. */
interface Bounds {
  readonly rows: number
  readonly work: number
}

/** By the name of a view, or of a part that stands in a `with`. */
type Sizes = ReadonlyMap<string, Bounds>

/** What a function that makes rows of one value is taken to make. */
const rowsOfFunction: Bounds = { rows: 100, work: 100 }
const oneRow: Bounds = { rows: 1, work: 1 }

const aggregates = new Set([
  ...['count', 'sum', 'avg', 'min', 'max', 'bool_and', 'bool_or', 'every', 'stddev', 'variance', 'string_agg'],
  ...['array_agg', 'json_agg', 'jsonb_agg', 'jsonb_object_agg', 'percentile_cont', 'percentile_disc', 'mode'],
])

/** The rows that a checked query puts beside one another, if it had to try them all. */
export function mostWorkOf(select: Tree, documentsOf: ReadonlyMap<string, number>): number {
  const sizes = new Map([...documentsOf].map(([name, count]) => [name, { rows: count, work: count }]))
  return boundsOf(select, sizes).work
}

function boundsOf(select: Tree, outer: Sizes): Bounds {
  const sizes = sizesWith(select, outer)
  if (select.larg !== undefined && select.rarg !== undefined) {
    const [left, right] = [boundsOf(select.larg as Tree, sizes), boundsOf(select.rarg as Tree, sizes)]
    return { rows: left.rows + right.rows, work: left.work + right.work }
  }
  const { withClause: _with, fromClause, ...others } = select
  const from = joined([...partsOf(fromClause, sizes), ...listed(select.valuesLists)])
  const inner = nestedSelects(others).map((nested) => boundsOf(nested, sizes).work)
  const perRow = inner.reduce((all, work) => all + work, 0)
  return { rows: rowsOf(select, from.rows), work: from.work + from.rows * perRow }
}

/** The rows that are left of those of `from`. */
function rowsOf({ groupClause, targetList, limitCount }: Tree, rows: number): number {
  if (groupClause === undefined && hasAggregate(targetList)) return 1
  const limit = ((((limitCount as Tree)?.A_Const as Tree)?.ival as Tree)?.ival as number | undefined) ?? rows
  return Math.min(rows, limit)
}

function sizesWith({ withClause }: Tree, outer: Sizes): Sizes {
  if (withClause === undefined) return outer
  const sizes = new Map(outer)
  for (const each of (withClause as Tree).ctes as unknown[]) {
    const [, { ctename, ctequery }] = nodeOf(each)
    sizes.set(String(ctename), boundsOf(nodeOf(ctequery)[1], sizes))
  }
  return sizes
}

/** Each row of one beside each row of the others, read anew for each: in whatever order, it is no more than this. */
function joined(parts: readonly Bounds[]): Bounds {
  if (parts.length === 0) return oneRow
  const rows = parts.reduce((all, part) => all * part.rows, 1)
  const work = parts.reduce((all, part) => all + part.work * (part.rows === 0 ? 1 : rows / part.rows), 0)
  return { rows, work }
}

/** What stands in `from`, and in the conditions of its joins. */
function partsOf(value: unknown, sizes: Sizes): Bounds[] {
  if (Array.isArray(value)) return value.flatMap((each) => partsOf(each, sizes))
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, node]) => {
    if (name === 'RangeVar') return [sizes.get(String((node as Tree).relname)) ?? oneRow]
    if (name === 'RangeFunction') return [rowsOfFunction]
    if (name === 'SelectStmt') return [boundsOf(node as Tree, sizes)]
    return partsOf(node, sizes)
  })
}

function listed(values: unknown): Bounds[] {
  return Array.isArray(values) ? [{ rows: values.length, work: values.length }] : []
}

/** The selects that stand in a select, without those inside of them. */
function nestedSelects(value: unknown): Tree[] {
  if (Array.isArray(value)) return value.flatMap(nestedSelects)
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, node]) => (name === 'SelectStmt' ? [node as Tree] : nestedSelects(node)))
}

function hasAggregate(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(hasAggregate)
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(value).some(([name, node]) => {
    if (name === 'SelectStmt') return false
    if (name === 'FuncCall' && (node as Tree).over === undefined && isAggregate(node as Tree)) return true
    return hasAggregate(node)
  })
}

function isAggregate({ funcname }: Tree): boolean {
  const names = Array.isArray(funcname) ? funcname : []
  return aggregates.has(String(nodeOf(names.at(-1))[1].sval))
}
