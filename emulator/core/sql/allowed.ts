/**
 * What a query of the console may be made of. Every kind of node of PostgreSQL's syntax tree that is not named here is refused,
 * and so is every field of one that is: `into`, `for update`, `tablesample` and whatever a later version brings.
 */

/** What a field holds: values that mean the same whatever they are, nodes that say their kind, or nodes of one kind. */
type Field = 'value' | 'nodes' | { readonly kind: NodeKind }

const of = (kind: string): Field => ({ kind })
type NodeKind = string

/** Where a node stands in the text, by any of its names. */
export const places: ReadonlySet<string> = new Set([
  ...['location', 'list_start', 'list_end', 'rexpr_list_start', 'rexpr_list_end', 'name_location'],
])

export const nodes: Readonly<Record<NodeKind, Readonly<Record<string, Field>>>> = {
  SelectStmt: {
    ...{ distinctClause: 'nodes', targetList: 'nodes', fromClause: 'nodes', whereClause: 'nodes' },
    ...{ groupClause: 'nodes', groupDistinct: 'value', havingClause: 'nodes', windowClause: 'nodes' },
    ...{ valuesLists: 'nodes', sortClause: 'nodes', limitOffset: 'nodes', limitCount: 'nodes', limitOption: 'value' },
    ...{ withClause: of('WithClause'), op: 'value', all: 'value', larg: of('SelectStmt'), rarg: of('SelectStmt') },
  },
  WithClause: { ctes: 'nodes' },
  CommonTableExpr: { ctename: 'value', aliascolnames: 'nodes', ctematerialized: 'value', ctequery: 'nodes' },
  RangeVar: { relname: 'value', inh: 'value', relpersistence: 'value', alias: of('Alias') },
  RangeSubselect: { lateral: 'value', subquery: 'nodes', alias: of('Alias') },
  RangeFunction: { lateral: 'value', ordinality: 'value', functions: 'nodes', alias: of('Alias') },
  JoinExpr: {
    ...{ jointype: 'value', isNatural: 'value', larg: 'nodes', rarg: 'nodes', usingClause: 'nodes' },
    ...{ join_using_alias: of('Alias'), quals: 'nodes', alias: of('Alias'), rtindex: 'value' },
  },
  Alias: { aliasname: 'value', colnames: 'nodes' },
  ResTarget: { name: 'value', val: 'nodes' },
  ColumnRef: { fields: 'nodes' },
  A_Star: {},
  A_Const: { ival: 'value', fval: 'value', boolval: 'value', sval: 'value', isnull: 'value' },
  A_Expr: { kind: 'value', name: 'nodes', lexpr: 'nodes', rexpr: 'nodes' },
  A_ArrayExpr: { elements: 'nodes' },
  A_Indirection: { arg: 'nodes', indirection: 'nodes' },
  A_Indices: { is_slice: 'value', lidx: 'nodes', uidx: 'nodes' },
  BoolExpr: { boolop: 'value', args: 'nodes' },
  NullTest: { arg: 'nodes', nulltesttype: 'value' },
  BooleanTest: { arg: 'nodes', booltesttype: 'value' },
  CaseExpr: { arg: 'nodes', args: 'nodes', defresult: 'nodes' },
  CaseWhen: { expr: 'nodes', result: 'nodes' },
  CoalesceExpr: { args: 'nodes' },
  MinMaxExpr: { op: 'value', args: 'nodes' },
  SQLValueFunction: { op: 'value', typmod: 'value' },
  SubLink: { subLinkType: 'value', testexpr: 'nodes', operName: 'nodes', subselect: 'nodes' },
  TypeCast: { arg: 'nodes', typeName: of('TypeName') },
  TypeName: { names: 'nodes', typmods: 'nodes', typemod: 'value', arrayBounds: 'nodes' },
  FuncCall: {
    ...{ funcname: 'nodes', args: 'nodes', agg_order: 'nodes', agg_filter: 'nodes', over: of('WindowDef') },
    ...{ agg_within_group: 'value', agg_star: 'value', agg_distinct: 'value', funcformat: 'value' },
  },
  WindowDef: {
    ...{ name: 'value', refname: 'value', partitionClause: 'nodes', orderClause: 'nodes' },
    ...{ frameOptions: 'value', startOffset: 'nodes', endOffset: 'nodes' },
  },
  SortBy: { node: 'nodes', sortby_dir: 'value', sortby_nulls: 'value' },
  CollateClause: { arg: 'nodes', collname: 'nodes' },
  List: { items: 'nodes' },
  String: { sval: 'value' },
  Integer: { ival: 'value' },
}

/** Operators of values, JSON and texts; none of regular expressions, whose work nothing bounds. */
export const operators: ReadonlySet<string> = new Set([
  ...['=', '<>', '!=', '<', '<=', '>', '>=', '+', '-', '*', '/', '%', '||'],
  ...['->', '->>', '#>', '#>>', '@>', '<@', '?', '?|', '?&', '&&'],
  ...['~~', '!~~', '~~*', '!~~*', 'BETWEEN', 'NOT BETWEEN', 'BETWEEN SYMMETRIC', 'NOT BETWEEN SYMMETRIC'],
])

/** Types to which a value can be cast. A text of a fixed length is none of them: it is filled up to it. */
export const types: ReadonlySet<string> = new Set([
  ...[
    'text',
    'varchar',
    'bool',
    'boolean',
    'int2',
    'int4',
    'int8',
    'numeric',
    'float4',
    'float8',
    'uuid',
    'json',
    'jsonb',
  ],
  ...['date', 'time', 'timetz', 'timestamp', 'timestamptz', 'interval'],
])

/** The time, but no role's name. */
export const valueFunctions: ReadonlySet<string> = new Set([
  ...['SVFOP_CURRENT_DATE', 'SVFOP_CURRENT_TIME', 'SVFOP_CURRENT_TIMESTAMP'],
  ...['SVFOP_LOCALTIME', 'SVFOP_LOCALTIMESTAMP'],
])

/** What calls may have to be like, beside their name. */
export type CallRule = 'any' | 'grows' | 'numbers only' | 'short separator'

const named = (rule: CallRule, names: string): [string, CallRule][] =>
  names.split(' ').map((name): [string, CallRule] => [name, rule])

/**
 * Functions of one value. None reads a file, a setting or a catalog, waits, locks, or makes more of a text than it got:
 * those that put texts together are counted.
 */
export const functions: ReadonlyMap<string, CallRule> = new Map([
  ...named('any', 'lower upper initcap length char_length character_length octet_length left right substr split_part'),
  ...named('any', 'strpos position trim btrim ltrim rtrim reverse starts_with md5 like_escape'),
  ...named('numbers only', 'substring'),
  ...named('any', 'abs ceil ceiling floor round trunc sign mod sqrt'),
  ...named('any', 'now date_trunc date_part extract age timezone to_char to_timestamp make_date make_interval'),
  ...named('any', 'jsonb_typeof jsonb_array_length jsonb_extract_path jsonb_extract_path_text jsonb_strip_nulls'),
  ...named('any', 'to_jsonb jsonb_pretty array_length array_position cardinality'),
  ...named('grows', 'concat concat_ws jsonb_build_object jsonb_build_array'),
  ...named('any', 'count sum avg min max bool_and bool_or every stddev variance percentile_cont percentile_disc mode'),
  ...named('any', 'array_agg json_agg jsonb_agg jsonb_object_agg'),
  ...named('short separator', 'string_agg'),
  ...named('any', 'row_number rank dense_rank percent_rank cume_dist ntile lag lead first_value last_value nth_value'),
])

/** Functions that stand in `from`, each of whose rows is a part of one value. */
export const rowFunctions: ReadonlySet<string> = new Set([
  ...[
    'jsonb_array_elements',
    'jsonb_array_elements_text',
    'jsonb_each',
    'jsonb_each_text',
    'jsonb_object_keys',
    'unnest',
  ],
])

/**
 * Functions of PostgreSQL that take a whole row and are not among those above: `posts.row_to_json` would call one where `posts`
 * has no such column. With those whose name begins with `pg_` these are all: a test asks both engines.
 */
export const functionsOfRows: ReadonlySet<string> = new Set([
  ...['row_to_json', 'to_json'],
  ...['num_nulls', 'num_nonnulls', 'record_out', 'record_send', 'hash_record', 'any_value', 'json_build_array'],
  ...['quote_literal', 'quote_nullable', 'json_agg_strict', 'jsonb_agg_strict', 'json_build_object', 'any_out'],
  ...['anycompatible_out', 'anycompatiblenonarray_out', 'anyelement_out', 'anynonarray_out'],
])

export const most = {
  characters: 20_000,
  /** PostgreSQL's parser, as the syntax tree, is as deep as there are tokens; more of them would not fit its stack. */
  tokens: 2_000,
  depth: 120,
  /** How often a query may put a value together with others, as a product over its parts that can be inside each other. */
  growth: 256,
  separatorCharacters: 100,
}
