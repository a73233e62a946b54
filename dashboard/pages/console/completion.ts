/** Completes collection names, fields, keywords and functions in the console. */
import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete'
import { quotedName } from '../../parts/sql-name.js'

/** Loads names on demand. */
export interface Names {
  collections(): readonly string[]
  columns(name: string): Promise<readonly { readonly name: string; readonly type: string }[]>
}

const keywords = [
  ...['select', 'from', 'where', 'group by', 'order by', 'having', 'limit', 'offset', 'join', 'left join', 'on', 'as'],
  ...['and', 'or', 'not', 'in', 'is null', 'is not null', 'between', 'like', 'ilike', 'distinct', 'case', 'when'],
  ...['then', 'else', 'end', 'desc', 'asc', 'nulls last', 'with', 'union all', 'exists', 'filter', 'over', 'lateral'],
]
const functions = [
  ...['count', 'sum', 'avg', 'min', 'max', 'coalesce', 'lower', 'upper', 'length', 'round', 'date_trunc', 'now'],
  ...['string_agg', 'jsonb_agg', 'jsonb_array_length', 'jsonb_array_elements_text', 'row_number', 'percentile_cont'],
]

/** Quotes an SQL name if necessary. */
export function sqlName(name: string): string {
  return /^[a-z_][a-z0-9_]*$/.test(name) && !reserved.has(name) ? name : quotedName(name)
}

const reserved = new Set([
  ...[
    'all',
    'and',
    'any',
    'array',
    'as',
    'asc',
    'case',
    'cast',
    'check',
    'collate',
    'column',
    'create',
    'default',
    'desc',
  ],
  ...[
    'distinct',
    'do',
    'else',
    'end',
    'except',
    'false',
    'fetch',
    'for',
    'from',
    'grant',
    'group',
    'having',
    'in',
    'into',
  ],
  ...[
    'limit',
    'not',
    'null',
    'offset',
    'on',
    'only',
    'or',
    'order',
    'primary',
    'references',
    'select',
    'some',
    'table',
  ],
  ...[
    'then',
    'to',
    'true',
    'union',
    'unique',
    'user',
    'using',
    'when',
    'where',
    'window',
    'with',
    'left',
    'right',
    'join',
  ],
])

export async function completeSql(context: CompletionContext, names: Names): Promise<CompletionResult | null> {
  const typed = context.matchBefore(/(?:"[^"\n]*"?|[\w$]+)(?:\.(?:"[^"\n]*"?|[\w$]*))?|\.[\w$]*/)
  if (!typed && !context.explicit) return null
  const from = typed?.from ?? context.pos
  const parts = /^("[^"]*"|[\w$]+)\.(.*)$/s.exec(typed?.text ?? '')
  const sources = sourcesIn(context.state.doc.toString(), names.collections())
  if (parts) {
    const [, owner = '', rest = ''] = parts
    const source = sources.get(plain(owner)) ?? plain(owner)
    return { from: context.pos - rest.length, options: await completeColumns([source], names), validFor: /^"?[\w$]*$/ }
  }
  const before = context.state.doc.sliceString(0, from)
  const isSource = /\b(?:from|join)\s+$/i.test(before)
  const tables = [...names.collections(), 'users', 'files'].map((name) => ({
    ...{ label: name, apply: sqlName(name), type: 'class', detail: 'collection', boost: isSource ? 9 : 0 },
  }))
  if (isSource) return { from, options: tables, validFor: /^"?[\w$]*$/ }
  const columns = await completeColumns([...new Set(sources.values())], names)
  const others = [
    ...keywords.map((label) => ({ label, type: 'keyword' })),
    ...functions.map((label) => ({ label, apply: `${label}(`, type: 'function', detail: 'function' })),
  ]
  return { from, options: [...columns, ...tables, ...others], validFor: /^"?[\w$]*$/ }
}

async function completeColumns(sources: readonly string[], names: Names): Promise<Completion[]> {
  const found = await Promise.all(sources.map((name) => names.columns(name).catch(() => [])))
  const types = new Map(found.flat().map(({ name, type }) => [name, type]))
  return [...types].map(([name, type]) => ({
    ...{ label: name, apply: sqlName(name), type: 'property', detail: type, boost: 5 },
  }))
}

/** Maps aliases in a query to collections. */
function sourcesIn(text: string, collections: readonly string[]): Map<string, string> {
  const known = new Set([...collections, 'users', 'files'])
  const sources = new Map<string, string>()
  const source = /\b(?:from|join|,)\s*("[^"]+"|[\w$]+)(?:\s+(?:as\s+)?("[^"]+"|[\w$]+))?/gi
  for (const [, table = '', alias = table] of text.matchAll(source)) {
    const name = plain(table)
    if (!known.has(name)) continue
    sources.set(name, name)
    if (!reserved.has(plain(alias))) sources.set(plain(alias), name)
  }
  return sources
}

function plain(name: string): string {
  return name.startsWith('"') ? name.slice(1).replace(/"$/, '').replaceAll('""', '"') : name.toLowerCase()
}
