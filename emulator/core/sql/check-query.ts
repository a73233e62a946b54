/** Goes through a syntax tree and refuses whatever is not on the lists of `allowed.ts`. */
import {
  type CallRule,
  functions,
  functionsOfRows,
  most,
  nodes,
  operators,
  places,
  rowFunctions,
  types,
  valueFunctions,
} from './allowed.js'

export type Tree = { readonly [field: string]: unknown }

/** What is wrong with a query, and where in the tree's own text, in bytes. */
export class RefusedQuery extends Error {
  constructor(
    message: string,
    readonly byte: number,
  ) {
    super(message)
  }
}

/** The names that stand for rows where a part of the query stands. */
type Scope = ReadonlySet<string>

interface Walk {
  /** The views that are named, each with where it is first. */
  readonly views: Map<string, number>
  /** By how much a value can have grown at most. */
  growth: number
  /** How often the part at hand puts values together. */
  joins: number
  depth: number
  /** Where the node at hand or the next one around it is. */
  byte: number
}

/**
 * Checks a query, a SelectStmt, and answers the views that it reads, each with the place where it is named first.
 *
 * @throws {RefusedQuery}
 */
export function checkQuery(select: Tree): ReadonlyMap<string, number> {
  const walk: Walk = { views: new Map(), growth: 1, joins: 0, depth: 0, byte: 0 }
  checkSelect(walk, select, new Set())
  return walk.views
}

/** @throws {RefusedQuery} for the first view that is not there */
export function requireViews(named: ReadonlyMap<string, number>, isView: (name: string) => boolean): void {
  for (const [name, byte] of named) {
    if (!isView(name)) throw new RefusedQuery(`No collection "${name.slice(0, 80)}".`, byte)
  }
}

function checkSelect(walk: Walk, select: Tree, scope: Scope): void {
  const { joins } = walk
  walk.joins = 0
  checkFields(walk, 'SelectStmt', select, scopeOf(walk, select, scope), ['withClause'])
  walk.growth *= 1 + walk.joins
  walk.joins = joins
  if (walk.growth > most.growth) throw refused(walk, 'This puts too many values together')
}

/** The same with the names of its `with`, each of which may use those before it, but neither itself nor a later one. */
function scopeOf(walk: Walk, { withClause }: Tree, outer: Scope): Scope {
  if (withClause === undefined) return outer
  const { ctes, ...rest } = withClause as Tree
  checkFields(walk, 'WithClause', rest, outer)
  const scope = new Set(outer)
  for (const each of listOf(ctes)) {
    const [kind, cte] = nodeOf(each)
    if (kind !== 'CommonTableExpr') throw refused(walk, 'Such a "with" is not allowed')
    checkNode(walk, kind, cte, scope)
    scope.add(String(cte.ctename))
  }
  return scope
}

function checkNode(walk: Walk, kind: string, node: Tree, scope: Scope): void {
  const { byte } = walk
  if (typeof node.location === 'number' && node.location >= 0) walk.byte = node.location
  if (++walk.depth > most.depth) throw refused(walk, 'This is nested too deeply')
  checks[kind]?.(walk, node, scope)
  if (kind === 'SelectStmt') checkSelect(walk, node, scope)
  else checkFields(walk, kind, node, scope, kind === 'RangeFunction' ? ['functions'] : [])
  walk.depth--
  walk.byte = byte
}

function checkFields(walk: Walk, kind: string, node: Tree, scope: Scope, left: readonly string[] = []): void {
  const fields = Object.hasOwn(nodes, kind) ? nodes[kind] : undefined
  if (!fields) throw refused(walk, `${wordsOf(kind)} is not allowed`)
  for (const [name, value] of Object.entries(node)) {
    if (left.includes(name) || places.has(name)) continue
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined
    if (field === undefined) throw refused(walk, `${fieldWords[name] ?? `"${name}"`} is not allowed`)
    if (field === 'nodes') checkNodes(walk, value, scope)
    else if (field !== 'value') checkNode(walk, field.kind, value as Tree, scope)
  }
}

function checkNodes(walk: Walk, value: unknown, scope: Scope): void {
  if (Array.isArray(value)) {
    for (const each of value) checkNodes(walk, each, scope)
    return
  }
  // An item that a list leaves open, such as the columns of a plain `distinct`.
  if (Object.keys(value as Tree).length === 0) return
  const [kind, node] = nodeOf(value)
  checkNode(walk, kind, node, scope)
}

/** What single kinds have to fulfil, beside their fields. */
const checks: Readonly<Record<string, (walk: Walk, node: Tree, scope: Scope) => void>> = {
  RangeVar(walk, { relname, inh, relpersistence }, scope) {
    const name = String(relname)
    if (relpersistence !== 'p' || inh !== true) throw refused(walk, 'Such a table is not allowed')
    if (scope.has(name)) return
    if (!walk.views.has(name)) walk.views.set(name, walk.byte)
  },
  RangeFunction(walk, { functions: calls }, scope) {
    for (const call of listOf(calls)) checkRowFunction(walk, call, scope)
  },
  FuncCall(walk, node) {
    const name = functionName(walk, node)
    const rule = functions.get(name)
    if (rule === undefined) throw refused(walk, notAFunction(name))
    callRules[rule](walk, name, listOf(node.args))
  },
  A_Expr(walk, { kind, name }) {
    if (kind === 'AEXPR_SIMILAR') throw refused(walk, '"similar to" is not allowed: use like or ilike')
    requireOperator(walk, name)
  },
  SubLink(walk, { operName }) {
    if (operName !== undefined) requireOperator(walk, operName)
  },
  A_ArrayExpr: (walk, { elements }) => grow(walk, listOf(elements).length),
  SQLValueFunction(walk, { op }) {
    if (!valueFunctions.has(String(op))) throw refused(walk, 'Names of users and databases are not allowed')
  },
  TypeName(walk, { names }) {
    const name = plainName(textsOf(names))
    if (name === undefined || !types.has(name)) throw refused(walk, `Type "${textsOf(names).join('.')}" is not allowed`)
  },
  ColumnRef(walk, { fields }) {
    const names = textsOf(fields)
    if (names.length > 2) throw refused(walk, 'A column has at most one name before its own')
    const [, column] = names
    if (column !== undefined && (functionsOfRows.has(column) || column.startsWith('pg_')))
      throw refused(walk, notAFunction(column))
  },
  A_Indirection(walk, { indirection }) {
    // `(value).name` would call a function of that name.
    if (!listOf(indirection).every((each) => nodeOf(each)[0] === 'A_Indices'))
      throw refused(walk, 'A name after a value is not allowed: use -> for a field of JSON')
  },
  CollateClause(walk, { collname }) {
    if (textsOf(collname).join() !== 'C') throw refused(walk, 'Only collate "C" is allowed')
  },
  CommonTableExpr(walk, { ctequery }) {
    if (nodeOf(ctequery)[0] !== 'SelectStmt') throw refused(walk, 'Only select is allowed')
  },
}

const callRules: Readonly<Record<CallRule, (walk: Walk, name: string, args: readonly unknown[]) => void>> = {
  any: () => undefined,
  grows: (walk, _name, args) => grow(walk, args.length),
  'numbers only': (walk, name, [, ...rest]) => {
    if (!rest.every((arg) => constantOf(arg)?.ival !== undefined))
      throw refused(walk, `${name} takes numbers only here: write ${name}(text from 1 for 2), or use substr`)
  },
  'short separator': (walk, name, [, separator]) => {
    const text = constantOf(separator)?.sval
    const { sval } = (text ?? {}) as Tree
    if (text === undefined || String(sval ?? '').length > most.separatorCharacters)
      throw refused(walk, `${name} takes a short text in quotes as its separator`)
  },
}

/** Checked here and not as a call among values: it stands in `from`. */
function checkRowFunction(walk: Walk, call: unknown, scope: Scope): void {
  const [listKind, list] = nodeOf(call)
  const [item, definition] = listOf(list.items)
  const [kind, node] = nodeOf(item)
  if (listKind !== 'List' || kind !== 'FuncCall')
    throw refused(walk, 'Only functions of JSON and arrays can stand here')
  if (definition !== undefined && Object.keys(definition as Tree).length > 0)
    throw refused(walk, 'A list of columns with types is not allowed')
  if (typeof node.location === 'number') walk.byte = node.location
  const name = functionName(walk, node)
  const { funcname: _name, args, funcformat: _format, location: _place, ...rest } = node
  if (!rowFunctions.has(name) || Object.keys(rest).length > 0) throw refused(walk, notAFunction(name))
  checkNodes(walk, args ?? [], scope)
}

function requireOperator(walk: Walk, name: unknown): void {
  const [operator = '', ...more] = textsOf(name)
  if (more.length > 0 || !operators.has(operator))
    throw refused(walk, `Operator ${[operator, ...more].join('.')} is not allowed`)
  if (operator === '||') grow(walk, 1)
}

function grow(walk: Walk, times: number): void {
  walk.joins += times
}

function functionName(walk: Walk, { funcname }: Tree): string {
  const names = textsOf(funcname)
  const name = plainName(names)
  if (name === undefined) throw refused(walk, notAFunction(names.join('.')))
  return name
}

/** What stands in no schema, or in that of PostgreSQL itself, as its grammar writes it. */
function plainName(names: readonly string[]): string | undefined {
  const [first, second, ...more] = names
  if (more.length > 0) return undefined
  return second === undefined ? first : first === 'pg_catalog' ? second : undefined
}

function notAFunction(name: string): string {
  return `Function "${name.slice(0, 80)}" is not allowed`
}

function refused({ byte }: Walk, message: string): RefusedQuery {
  return new RefusedQuery(`${message}.`, byte)
}

function constantOf(node: unknown): Tree | undefined {
  if (node === undefined) return undefined
  const [kind, value] = nodeOf(node)
  return kind === 'A_Const' ? value : undefined
}

function textsOf(list: unknown): string[] {
  return listOf(list).map((each) => {
    const [kind, node] = nodeOf(each)
    return kind === 'String' ? String(node.sval ?? '') : '*'
  })
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** The kind of a node, and its fields. */
export function nodeOf(value: unknown): [kind: string, node: Tree] {
  const [entry] = Object.entries(value as Tree)
  return entry ? [entry[0], entry[1] as Tree] : ['', {}]
}

const fieldWords: Readonly<Record<string, string>> = {
  intoClause: '"into"',
  lockingClause: '"for update"',
  recursive: '"with recursive"',
  schemaname: 'A schema before a name',
  catalogname: 'A database before a name',
  func_variadic: '"variadic"',
  setof: '"setof"',
  pct_type: '"%type"',
  useOp: '"using"',
  bsval: 'A bit string',
}

/** `InsertStmt` as `insert`, `XmlExpr` as `xml expr`. */
function wordsOf(kind: string): string {
  return `"${kind
    .replace(/Stmt$/, '')
    .replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ')
    .toLowerCase()}"`
}
