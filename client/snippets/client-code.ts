/** Converts a recorded request to code that calls the client. */
import type { RequestRecord } from '../protocol/control/requests.js'
import { isObject, type Json, parseJson } from '../protocol/model/json.js'
import type { ListQuery, RecordQuery, Sort } from '../protocol/model/page.js'
import { formatPath } from '../protocol/model/path.js'
import type { PlainTest, Where } from '../protocol/model/where.js'
import type { Dialect } from '../protocol/wire/axes.js'
import { decodeBatchCreate, decodeBatchDelete, decodeChanges, decodeNewDocument } from '../protocol/wire/body/decode.js'
import { parseDialect } from '../protocol/wire/dialects.js'
import { decodeListQuery, decodeRecordQuery, parseQuery } from '../protocol/wire/query/decode.js'
import { describeMissingParts, hasWholeBody } from './lacking.js'

type Recorded = Pick<RequestRecord, 'method' | 'path' | 'route' | 'dialect' | 'request'>

/**
 * Writes a call of the client, or `fetch` if the client has no call for the route. Comments above it name missing parts.
 *
 * @param url the address of the service
 */
export function formatClientCode(record: Recorded, url: string): string {
  const missing = describeMissingParts(record, 'define it as body').map((sentence) => `// ${sentence}`)
  return [...missing, formatRequest(record, url)].join('\n')
}

function formatRequest(record: Recorded, url: string): string {
  if (!hasWholeBody(record.request.body)) return formatFetch(record, url)
  try {
    return formatCall(record) ?? formatFetch(record, url)
  } catch {
    // Sends invalid requests unchanged.
    return formatFetch(record, url)
  }
}

function formatCall(record: Recorded): string | undefined {
  const { route, path, dialect: spoken, request } = record
  const [place = '', query = ''] = path.split('?')
  const dialect = parseDialect(spoken)
  // Paths with and without "/api" and "/documents" are equivalent.
  const [collection = '', id = ''] = place
    .replace(/^\/api(?=\/)/, '')
    .split('/')
    .slice(2)
    .map(decodeURIComponent)
    .filter((part) => part !== 'documents' && part !== 'batch')
  const documents = `svc.collection(${literal(collection)})`
  const body = parseJson(request.body.text ?? 'null')
  const fields = isObject(body) ? body : {}
  const ifMatch = /^"?(\d+)"?$/.exec(request.headers['if-match'] ?? '')?.[1]
  const options = ifMatch === undefined ? '' : `, { ifMatch: ${ifMatch} }`
  switch (route) {
    case 'documents.list':
      return `const { items } = await ${documents}.list(${listOptions(decodeListQuery(dialect, parseQuery(query)), query)})`
    case 'documents.get':
      return `const document = await ${documents}.get(${literal(id)}${populateOptions(dialect, query)})`
    case 'documents.create':
    case 'documents.createIn':
      return `const document = await ${documents}.create(${code(decodeNewDocument(dialect, fields))})`
    case 'documents.put':
      return `const document = await ${documents}.replace(${literal(id)}, ${code(decodeNewDocument(dialect, fields))}${options})`
    case 'documents.update':
      return `const document = await ${documents}.update(${literal(id)}, ${code(readChanges(dialect, fields))}${options})`
    case 'documents.remove':
      return `await ${documents}.delete(${literal(id)}${options})`
    case 'batches.create':
      return `const documents = await ${documents}.createMany(${code(decodeBatchCreate(dialect, fields))})`
    case 'batches.remove':
      return `await ${documents}.deleteMany(${code(decodeBatchDelete(fields))})`
    default:
      return route === null ? undefined : collectionCall(route, collection, fields)
  }
}

function collectionCall(route: string, name: string, fields: Json): string | undefined {
  switch (route) {
    case 'collections.list':
      return 'const collections = await svc.collections.list()'
    case 'collections.get':
      return `const collection = await svc.collections.get(${literal(name)})`
    case 'collections.create':
      return `const collection = await svc.collections.create(${code(fields)})`
    case 'collections.update':
      return `const collection = await svc.collections.update(${literal(name)}, ${code(fields)})`
    case 'collections.remove':
      return `await svc.collections.delete(${literal(name)})`
    default:
      return undefined
  }
}

function readChanges(dialect: Dialect, body: Json): Json {
  const { fields, append, remove, unset } = decodeChanges(dialect, isObject(body) ? body : {})
  const has = (one: object) => Object.keys(one).length > 0
  return {
    ...fields,
    ...(has(append) ? { $append: append } : {}),
    ...(has(remove) ? { $remove: remove } : {}),
    ...(has(unset) ? { $unset: [...unset] } : {}),
  }
}

/** Includes only options in the query, because the client and the service share their defaults. */
function listOptions({ where, sort, limit, offset, count, ...record }: ListQuery, query: string): string {
  const names = new Set(parseQuery(query).map(([name]) => name))
  const options: { [name: string]: Json } = {
    ...(where.all.length === 0 ? {} : { where: simplifyWhere(where) }),
    ...sortOption(sort),
    ...(names.has('limit') || names.has('page_size') ? { limit } : {}),
    ...(offset > 0 ? { offset } : {}),
    ...(count ? {} : { count }),
    ...recordOptions(record),
  }
  return Object.keys(options).length === 0 ? '' : code(options)
}

function sortOption(sort: readonly Sort[]): { sort?: Json } {
  const [first, ...others] = sort.map(({ path, direction }) => `${direction === 'desc' ? '-' : ''}${formatPath(path)}`)
  if (first === undefined) return {}
  return { sort: others.length === 0 ? first : [first, ...others] }
}

function recordOptions({ populate, select }: RecordQuery): { [name: string]: Json } {
  return {
    ...(populate.length === 0 ? {} : { populate: populate.map(formatPath) }),
    ...(select.length === 0 ? {} : { select: select.map(formatPath) }),
  }
}

function populateOptions(dialect: Dialect, query: string): string {
  const options = recordOptions(decodeRecordQuery(dialect, parseQuery(query)))
  return Object.keys(options).length === 0 ? '' : `, ${code(options)}`
}

/** Uses the short form if each clause tests one field once; otherwise the full form. */
function simplifyWhere(where: Where): Json {
  const tests = where.all.flatMap(({ any }) => (any.length === 1 ? any : []))
  const simple = new Map<string, { [operator: string]: Json }>()
  for (const test of tests) {
    if (test.operator === 'not') return JSON.parse(JSON.stringify(where))
    const field = formatPath(test.path)
    const conditions = simple.get(field) ?? {}
    if (test.operator in conditions) return JSON.parse(JSON.stringify(where))
    simple.set(field, { ...conditions, [test.operator]: readTest(test) })
  }
  if (tests.length < where.all.length || reserved.some((word) => simple.has(word)))
    return JSON.parse(JSON.stringify(where))
  return Object.fromEntries(
    [...simple].map(([field, conditions]) => {
      const { eq, ...others } = conditions
      return [field, eq !== undefined && Object.keys(others).length === 0 ? eq : conditions]
    }),
  )
}

/** Words of a filter, which cannot name a field in the short form. */
const reserved = ['or', 'and', 'not', 'all']

function readTest(test: PlainTest): Json {
  if ('values' in test) return test.values.map(plain)
  if ('exists' in test) return test.exists
  return 'isNull' in test ? test.isNull : plain(test.value)
}

/** Turns text that looks like a number or boolean into one, because queries hold only text. */
function plain(text: string): Json {
  return /^(-?(0|[1-9]\d{0,14})(\.\d{1,15})?|true|false)$/.test(text) ? JSON.parse(text) : text
}

function formatFetch({ method, path, request }: Recorded, url: string): string {
  const { headers, body } = request
  const sent = Object.entries(headers).flatMap(([name, value]): [string, string][] => {
    if (name === 'x-api-key') return [[name, 'process.env.SVC_API_KEY']]
    if (name === 'authorization') return [[name, "'Bearer ' + token"]]
    return ['content-type', 'svc-dialect', 'if-match'].includes(name) ? [[name, literal(value)]] : []
  })
  const lines = [
    `  method: ${literal(method)},`,
    `  headers: { ${sent.map(([name, value]) => `${key(name)}: ${value}`).join(', ')} },`,
    ...(hasWholeBody(body) ? (body.text ? [`  body: ${literal(body.text)},`] : []) : ['  body,']),
  ]
  return `const answer = await fetch(${literal(url + path)}, {\n${lines.join('\n')}\n})`
}

/** Formats JSON as JavaScript: bare keys where possible, strings in single quotes. */
function code(value: unknown, indent = ''): string {
  if (typeof value === 'string') return literal(value)
  if (Array.isArray(value))
    return block(
      '[]',
      value.map((item) => code(item, `${indent}  `)),
      indent,
    )
  if (!isObject(value)) return JSON.stringify(value)
  const entries = Object.entries(value).map(([name, item]) => `${key(name)}: ${code(item, `${indent}  `)}`)
  return block('{}', entries, indent)
}

const longestLine = 90

function block([open = '', close = '']: string, parts: readonly string[], indent: string): string {
  if (parts.length === 0) return open + close
  const gap = open === '{' ? ' ' : ''
  const line = `${open}${gap}${parts.join(', ')}${gap}${close}`
  if (line.length <= longestLine && !line.includes('\n')) return line
  return [open, ...parts.map((part) => `${indent}  ${part},`), indent + close].join('\n')
}

function key(name: string): string {
  if (name === '__proto__') return "['__proto__']"
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : literal(name)
}

/** Formats a JavaScript string literal. */
function literal(text: string): string {
  const inner = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")
  return `'${inner}'`
}
