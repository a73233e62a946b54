/** A recorded request as code that calls the client. */
import type { RequestRecord } from '../protocol/control/requests.js'
import { isObject, type Json, parseJson } from '../protocol/model/json.js'
import type { ListQuery } from '../protocol/model/page.js'
import { formatPath } from '../protocol/model/path.js'
import type { Test, Where } from '../protocol/model/where.js'
import type { Dialect } from '../protocol/wire/axes.js'
import { decodeBatchCreate, decodeBatchDelete, decodeChanges, decodeNewDocument } from '../protocol/wire/body/decode.js'
import { parseDialect } from '../protocol/wire/dialects.js'
import { decodeListQuery, decodePopulate, parseQuery } from '../protocol/wire/query/decode.js'
import { hasWholeBody, lackingOf } from './lacking.js'

type Recorded = Pick<RequestRecord, 'method' | 'path' | 'route' | 'dialect' | 'request'>

/**
 * Code of the client where it has a call for the route, else `fetch`, after lines that say what it lacks, if it lacks something.
 *
 * @param url the address of the service
 */
export function clientCodeOf(record: Recorded, url: string): string {
  return [...lackingOf(record, 'give it as body').map((sentence) => `// ${sentence}`), codeOf(record, url)].join('\n')
}

function codeOf(record: Recorded, url: string): string {
  if (!hasWholeBody(record.request.body)) return fetchOf(record, url)
  try {
    return callOf(record) ?? fetchOf(record, url)
  } catch {
    // What the service could not read is sent as it is.
    return fetchOf(record, url)
  }
}

function callOf(record: Recorded): string | undefined {
  const { route, path, dialect: spoken, request } = record
  const [place = '', query = ''] = path.split('?')
  const dialect = parseDialect(spoken)
  // "/api" and "/documents" are forms of the same address.
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
      return `const document = await ${documents}.get(${literal(id)}${populateOptions(query)})`
    case 'documents.create':
    case 'documents.createIn':
      return `const document = await ${documents}.create(${code(decodeNewDocument(dialect, fields))})`
    case 'documents.put':
      return `const document = await ${documents}.replace(${literal(id)}, ${code(decodeNewDocument(dialect, fields))}${options})`
    case 'documents.update':
      return `const document = await ${documents}.update(${literal(id)}, ${code(changesOf(dialect, fields))}${options})`
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

function changesOf(dialect: Dialect, body: Json): Json {
  const { fields, append, remove } = decodeChanges(dialect, isObject(body) ? body : {})
  const has = (one: object) => Object.keys(one).length > 0
  return { ...fields, ...(has(append) ? { $append: append } : {}), ...(has(remove) ? { $remove: remove } : {}) }
}

/** Only what the query says: the rest is the default of the client as it is of the service. */
function listOptions({ where, sort, limit, offset, count, populate }: ListQuery, query: string): string {
  const names = new Set(parseQuery(query).map(([name]) => name))
  const options: { [name: string]: Json } = {
    ...(where.all.length === 0 ? {} : { where: whereOf(where) }),
    ...(sort ? { sort: `${sort.direction === 'desc' ? '-' : ''}${formatPath(sort.path)}` } : {}),
    ...(names.has('limit') || names.has('page_size') ? { limit } : {}),
    ...(offset > 0 ? { offset } : {}),
    ...(count ? {} : { count }),
    ...(populate.length === 0 ? {} : { populate: populate.map(formatPath) }),
  }
  return Object.keys(options).length === 0 ? '' : code(options)
}

function populateOptions(query: string): string {
  const paths = decodePopulate(parseQuery(query)).map(formatPath)
  return paths.length === 0 ? '' : `, ${code({ populate: paths })}`
}

/** As people write it, where each clause is one test of a field of its own; else in full. */
function whereOf(where: Where): Json {
  const tests = where.all.flatMap(({ any }) => (any.length === 1 ? any : []))
  const simple = new Map<string, { [operator: string]: Json }>()
  for (const test of tests) {
    const field = formatPath(test.path)
    const conditions = simple.get(field) ?? {}
    if (test.operator in conditions) return JSON.parse(JSON.stringify(where))
    simple.set(field, { ...conditions, [test.operator]: readTest(test) })
  }
  if (tests.length < where.all.length || simple.has('or') || simple.has('all')) return JSON.parse(JSON.stringify(where))
  return Object.fromEntries(
    [...simple].map(([field, conditions]) => {
      const { eq, ...others } = conditions
      return [field, eq !== undefined && Object.keys(others).length === 0 ? eq : conditions]
    }),
  )
}

function readTest(test: Test): Json {
  if ('values' in test) return test.values.map(plain)
  return 'isNull' in test ? test.isNull : plain(test.value)
}

/** A query has texts only; a number is written as one. */
function plain(text: string): Json {
  return /^(-?(0|[1-9]\d{0,14})(\.\d{1,15})?|true|false)$/.test(text) ? JSON.parse(text) : text
}

function fetchOf({ method, path, request }: Recorded, url: string): string {
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

/** JSON as JavaScript is written: names bare where they can be, texts in single quotes. */
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

/** A text as JavaScript writes one. */
function literal(text: string): string {
  const inner = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")
  return `'${inner}'`
}
