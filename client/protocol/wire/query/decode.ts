/** A list request, and filters of realtime, as the service decodes them. */
import { type ErrorCode, SvcError } from '../../model/errors.js'
import { formatBytes } from '../../model/figures.js'
import type { Json, JsonObject } from '../../model/json.js'
import { sizes } from '../../model/limits.js'
import type { ListQuery, Sort } from '../../model/page.js'
import { formatPath, type Path, parsePath } from '../../model/path.js'
import { type Clause, type Operator, ownField, ownName, type Test, type Where } from '../../model/where.js'
import { axes, type Dialect } from '../axes.js'
import {
  requireCountable,
  requireSearchable,
  requireShort,
  requireSpeakable,
  type TestCount,
} from '../filters/bounds.js'
import { joinList, listParameters } from './names.js'

export type Parameter = readonly [name: string, value: string]

/** Names of a sort's field, and of its direction. All are read in every dialect. */
const sortNames = ['orderBy', 'sort_by', 'sort']
const directionNames = ['order', 'sort_order']

/** The group that a filter is in, before its field. */
const groupPrefix = /^\[or(?::([^\]]*))?\]/

/** Where a page begins. Both come with the next page of a list, which is served where the first one was. */
const pageStarts = [/^id__?gt=[\w-]{1,64}$/, /^offset=\d{1,16}$/]

/**
 * Takes a raw query string apart. Contract 10.7 and 10.11. Where the page begins does not count.
 *
 * @throws {SvcError} `INVALID_QUERY` for over 8 KB, over 200 parameters, bad percent encoding or U+0000.
 */
export function parseQuery(raw: string): Parameter[] {
  if (raw === '') return []
  const parts = raw.split('&').filter((part) => part !== '')
  // The last, since a filter of the caller's own on `id` comes before that of the page.
  const starts = pageStarts.flatMap((form) => parts.filter((part) => form.test(part)).slice(-1))
  const counted = starts.reduce((length, part) => length - part.length - 1, raw.length)
  if (counted > sizes.mostQueryBytes)
    throw new SvcError('INVALID_QUERY', `A query is at most ${formatBytes(sizes.mostQueryBytes)}.`)
  if (parts.length - starts.length > sizes.mostQueryParameters) {
    throw new SvcError('INVALID_QUERY', `A query has at most ${sizes.mostQueryParameters} parameters.`)
  }
  return parts.map((part) => {
    const at = part.indexOf('=')
    return at === -1 ? [decode(part), ''] : [decode(part.slice(0, at)), decode(part.slice(at + 1))]
  })
}

/**
 * Decodes filters, order and page. Names that cannot be confused are understood in every dialect; suffixes follow the dialect's.
 *
 * @throws {SvcError} `INVALID_QUERY` or `INVALID_FILTER`, naming the parameter.
 */
export function decodeListQuery(dialect: Dialect, parameters: readonly Parameter[]): ListQuery {
  const named = new Map<string, string>()
  const populate: Path[] = []
  const filters: Parameter[] = []
  for (const [name, value] of parameters) {
    if (name === 'populate') populate.push(...splitList(value).map(parsePath))
    else if (!listParameters.includes(name)) filters.push([name, value])
    else if (named.has(name)) throw badParameter(name, `"${name}" is given twice.`)
    else named.set(name, value)
  }
  return {
    where: decodeWhere(dialect, filters, { hasPages: true, ofQuery: true }),
    sort: readSort(named),
    ...readPlace(dialect, named),
    count: readFlag('count', named.get('count')) ?? true,
    populate: checkPopulate(populate),
  }
}

/** Which page of the files of a folder. @throws {SvcError} `INVALID_QUERY` */
export function decodeFolderQuery(
  dialect: Dialect,
  parameters: readonly Parameter[],
): { path: string; limit: number; offset: number } {
  const named = new Map<string, string>()
  for (const [name, value] of parameters) {
    if (!['path', 'limit', 'offset'].includes(name)) continue
    if (named.has(name)) throw badParameter(name, `"${name}" is given twice.`)
    named.set(name, value)
  }
  return { path: named.get('path') ?? '', ...readPlace(dialect, named) }
}

function readPlace(dialect: Dialect, named: ReadonlyMap<string, string>): Pick<ListQuery, 'limit' | 'offset'> {
  const paging = axes.paging[dialect.paging]
  const limit = readWhole('limit', named.get('limit')) ?? paging.default
  return { limit: Math.min(limit, paging.most), offset: readWhole('offset', named.get('offset')) ?? 0 }
}

/** The populate parameters alone, as the get of one document takes them. */
export function decodePopulate(parameters: readonly Parameter[]): Path[] {
  return checkPopulate(
    parameters.flatMap(([name, value]) => (name === 'populate' ? splitList(value).map(parsePath) : [])),
  )
}

/**
 * Plain parameters must all hold; those of one `[or]` group are alternatives. One that says where a page begins does not count.
 *
 * @throws {SvcError} `INVALID_FILTER`, also for over 200 tests and for a text to search that is too long. Contract 10.11.
 */
export function decodeWhere(
  dialect: Dialect,
  parameters: readonly Parameter[],
  { hasPages, ofQuery = false }: { hasPages: boolean; ofQuery?: boolean } = { hasPages: true },
): Where {
  if (parameters.length === 0) return { all: [] }
  const plain: Clause[] = []
  const groups = new Map<string, Test[]>()
  const count: TestCount = { tests: 0 }
  let isFree = hasPages
  for (const [name, value] of parameters) {
    const [prefix, group = ''] = groupPrefix.exec(name) ?? []
    const read = () => readTests(dialect, name.slice(prefix?.length ?? 0), value)
    const tests = ofQuery ? naming(name, read) : read()
    if (isFree && prefix === undefined && isPageStart(tests)) isFree = false
    else requireCountable(count, countOf(tests))
    if (prefix === undefined) plain.push({ any: tests })
    else groups.set(group, [...(groups.get(group) ?? []), ...tests])
  }
  return { all: [...plain, ...[...groups.values()].map((any) => ({ any }))] }
}

/**
 * Filters as realtime takes them: an object of names and values, spelled as in a list. An array is a list of values for
 * `in` and `notin`; for anything else, each of its items must hold. As many and as long as in a query.
 *
 * @throws {SvcError} `INVALID_FILTER`; `INVALID_QUERY` for over 8 KB or what no query can hold
 */
export function decodeFilters(dialect: Dialect, filters: JsonObject): Where {
  requireShort(filters)
  const parameters = Object.entries(filters).flatMap((filter) => filterParameters(dialect, filter))
  for (const parameter of parameters) parameter.forEach(requireSpeakable)
  // Nothing of it comes in pages.
  return decodeWhere(dialect, parameters, { hasPages: false })
}

function filterParameters(dialect: Dialect, [name, value]: [string, Json]): Parameter[] {
  if (!Array.isArray(value)) return [[name, filterText(name, value)]]
  const texts = value.map((item) => filterText(name, item))
  const { operator } = readName(dialect, name.replace(groupPrefix, ''))
  return isListed(operator) ? [[name, joinList(texts)]] : texts.map((text) => [name, text])
}

function isListed(operator: Operator): operator is 'in' | 'notin' {
  return operator === 'in' || operator === 'notin'
}

function filterText(name: string, value: Json): string {
  const hasText = typeof value === 'number' ? Number.isFinite(value) : value === null || typeof value !== 'object'
  if (hasText) return String(value)
  throw new SvcError('INVALID_FILTER', `The filter "${name}" takes a text, a number, true, false or null.`)
}

function readTests(dialect: Dialect, name: string, value: string): Test[] {
  const { fields, operator } = readName(dialect, name)
  if (fields.includes('')) throw new SvcError('INVALID_FILTER', `The filter "${name}" names no field.`)
  const values = isListed(operator) ? splitList(value) : [value]
  requireSearchable(name, operator, value)
  return fields.map((field) => readTest(ownName(parsePath(field)), operator, value, values))
}

/** Every page but the first asks for ids behind the last of the page before, which the primary key answers at no cost. */
function isPageStart([test, ...more]: readonly Test[]): boolean {
  return test?.operator === 'gt' && ownField(test.path) === 'id' && more.length === 0
}

function countOf(tests: readonly Test[]): number {
  return tests.reduce((sum, test) => sum + ('values' in test ? test.values.length : 1), 0)
}

/** The suffix behind the last of the fields applies to all of them. Contract 4.5. */
function readName(dialect: Dialect, name: string): { fields: readonly string[]; operator: Operator } {
  const fields = name.split('__or__')
  const family = axes.filters[dialect.filters]
  const { field, operator } = family.decode(fields.pop() ?? '')
  // What the last one is called is a field, whatever it ends in: clients repeat it so that two lists have two names.
  for (const other of fields) if (other !== field) family.requireBare(other)
  return { fields: [...fields, field], operator }
}

function readTest(path: Path, operator: Operator, value: string, values: readonly string[]): Test {
  if (isListed(operator)) return { path, operator, values }
  if (operator !== 'isnull') return { path, operator, value }
  if (value !== 'true' && value !== 'false') {
    throw new SvcError('INVALID_FILTER', `"isnull" on "${formatPath(path)}" takes true or false, not "${value}".`)
  }
  return { path, operator, isNull: value === 'true' }
}

function readSort(named: ReadonlyMap<string, string>): Sort | undefined {
  const fields = sortNames.filter((name) => named.has(name))
  if (fields.length > 1) throw badParameter(fields[1] ?? '', `"${fields.join('" and "')}" say the same. Give one.`)
  const direction = readDirection(named)
  const field = named.get(fields[0] ?? '')
  // A direction alone turns the default order around, which is by creation.
  if (field === undefined) return direction === 'asc' ? { path: ['createdAt'], direction } : undefined
  if (field === '') throw badParameter(fields[0] ?? '', `"${fields[0]}" names no field.`)
  return { path: ownName(parsePath(field)), direction: direction ?? 'asc' }
}

function readDirection(named: ReadonlyMap<string, string>): Sort['direction'] | undefined {
  const [name, extra] = directionNames.filter((name) => named.has(name))
  if (extra) throw badParameter(extra, '"order" and "sort_order" say the same. Give one.')
  const direction = name && named.get(name)
  if (direction === undefined || direction === 'asc' || direction === 'desc') return direction
  throw badParameter(name ?? '', `"${name}" is asc or desc, not "${direction}".`)
}

function checkPopulate(paths: Path[]): Path[] {
  if (paths.length > sizes.mostPopulatePaths) {
    throw badParameter('populate', `At most ${sizes.mostPopulatePaths} paths can be populated.`)
  }
  const tooDeep = paths.find((path) => path.length > sizes.mostPopulateDepth)
  if (tooDeep)
    throw badParameter('populate', `"${formatPath(tooDeep)}" is deeper than ${sizes.mostPopulateDepth} links.`)
  return paths
}

function readWhole(name: string, value: string | undefined): number | undefined {
  if (value === undefined) return undefined
  if (/^\d+$/.test(value)) return Math.min(Number(value), Number.MAX_SAFE_INTEGER)
  throw badParameter(name, `"${name}" is a whole number from 0, not "${value}".`)
}

function readFlag(name: string, value: string | undefined): boolean | undefined {
  if (value === undefined) return undefined
  if (value === 'true' || value === 'false') return value === 'true'
  throw badParameter(name, `"${name}" is true or false, not "${value}".`)
}

/** A refused parameter, as an issue that names it. */
export function badParameter(name: string, message: string, code: ErrorCode = 'INVALID_QUERY'): SvcError {
  return new SvcError(code, message, [{ in: 'query', path: [name], message, type: 'value' }])
}

/** Reads a parameter, and names it where it is refused. */
function naming<Value>(name: string, read: () => Value): Value {
  try {
    return read()
  } catch (error) {
    if (error instanceof SvcError && error.issues.length === 0) throw badParameter(name, error.message, error.code)
    throw error
  }
}

/** Splits at commas; `\,` is a comma in a value. */
function splitList(value: string): string[] {
  return value.split(/(?<!\\),/).map((item) => item.replaceAll('\\,', ','))
}

function decode(text: string): string {
  const decoded = text.includes('%') || text.includes('+') ? percentDecoded(text.replaceAll('+', ' ')) : text
  requireSpeakable(decoded)
  return decoded
}

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new SvcError('INVALID_QUERY', 'The query has bad percent encoding.')
  }
}
