/** Decodes list requests, and filters of subscriptions. */
import { type ErrorCode, SvcError } from '../../model/errors.js'
import { formatBytes } from '../../model/figures.js'
import type { Json, JsonObject } from '../../model/json.js'
import { sizes } from '../../model/limits.js'
import type { ListQuery, RecordQuery, Sort } from '../../model/page.js'
import { formatPath, type Path, parsePath } from '../../model/path.js'
import {
  type Clause,
  negateAll,
  type Operator,
  ownField,
  ownName,
  type PlainTest,
  type Test,
  type Where,
  withoutNot,
} from '../../model/where.js'
import { axes, type Dialect } from '../axes.js'
import {
  requireCountable,
  requireSearchable,
  requireShort,
  requireSpeakable,
  type TestCount,
} from '../filters/bounds.js'
import { joinGroup, readPrefixes } from '../filters/prefixes.js'
import type { NamedTest, SuffixOperator } from '../filters/suffixes.js'
import { joinList, listParameters } from './names.js'

export type Parameter = readonly [name: string, value: string]

/** Parameters for sort field and direction. Every dialect accepts all of them. */
const sortNames = ['orderBy', 'sort_by', 'sort']
const directionNames = ['order', 'sort_order']

/** Parameters that select a page. They do not count towards limits, so that later pages work if the first one did. */
const pageStarts = [/^id__?gt=[\w-]{1,64}$/, /^offset=\d{1,16}$/]

/**
 * Parses a raw query string. Does not count parameters that select a page. Contract 10.7 and 10.11.
 *
 * @throws {SvcError} `INVALID_QUERY` for over 8 KB, over 200 parameters, bad percent encoding or U+0000
 */
export function parseQuery(raw: string): Parameter[] {
  if (raw === '') return []
  const parts = raw.split('&').filter((part) => part !== '')
  // Uses the last one, because a filter of the caller on `id` comes before that of the page.
  const starts = pageStarts.flatMap((form) => parts.filter((part) => form.test(part)).slice(-1))
  const counted = starts.reduce((length, part) => length - part.length - 1, raw.length)
  if (counted > sizes.maxQueryBytes)
    throw new SvcError('INVALID_QUERY', `Query string is too long (max ${formatBytes(sizes.maxQueryBytes)}).`)
  if (parts.length - starts.length > sizes.maxQueryParameters) {
    throw new SvcError('INVALID_QUERY', `Query string has too many parameters (max ${sizes.maxQueryParameters}).`)
  }
  return parts.map((part) => {
    const at = part.indexOf('=')
    return at === -1 ? [decode(part), ''] : [decode(part.slice(0, at)), decode(part.slice(at + 1))]
  })
}

/**
 * Decodes filters, order and page. Accepts unambiguous names in every dialect; suffixes depend on the dialect.
 *
 * @throws {SvcError} `INVALID_QUERY` or `INVALID_FILTER` that names the parameter
 */
export function decodeListQuery(dialect: Dialect, parameters: readonly Parameter[]): ListQuery {
  const named = new Map<string, string>()
  const filters: Parameter[] = []
  for (const [name, value] of parameters) {
    if (name === 'populate' || name === 'select') continue
    if (!listParameters.includes(name)) filters.push([name, value])
    else if (named.has(name)) throw badParameter(name, `"${name}" is given twice.`)
    else named.set(name, value)
  }
  return {
    where: decodeWhere(dialect, filters, { hasPages: true, ofQuery: true }),
    sort: readSort(dialect, named),
    ...readPlace(dialect, named),
    count: readFlag('count', named.get('count')) ?? true,
    ...decodeRecordQuery(dialect, parameters),
  }
}

/** Decodes the folder and page of a file list. @throws {SvcError} `INVALID_QUERY` */
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
  if (axes.refusals[dialect.refusals].refusesLimits && (limit < 1 || limit > paging.most))
    throw badParameter('limit', `"limit" is 1 to ${paging.most}, not ${limit}.`, 'VALIDATION_ERROR')
  return { limit: Math.min(limit, paging.most), offset: readWhole('offset', named.get('offset')) ?? 0 }
}

/** Decodes the parameters of one record: which fields to return, and which links to replace. */
export function decodeRecordQuery(dialect: Dialect, parameters: readonly Parameter[]): RecordQuery {
  const readPaths = (wanted: string) =>
    parameters.flatMap(([name, value]) => (name === wanted ? splitList(value).map(parsePath) : []))
  const { links, readPopulated, readSelected } = axes.populate[dialect.populate]
  const { selected } = axes.refusals[dialect.refusals]
  return {
    populate: checkPopulate(readPaths('populate').map(readPopulated)),
    select: checkSelect(readPaths('select')).map(selected).map(readSelected),
    links,
  }
}

/**
 * Decodes filters. All plain parameters must hold; those of one `[or]` group are alternatives. Does not count the cursor of
 * a page.
 *
 * @throws {SvcError} `INVALID_FILTER`, also for over 200 tests or too long search text. Contract 10.11
 */
export function decodeWhere(
  dialect: Dialect,
  parameters: readonly Parameter[],
  { hasPages, ofQuery = false }: { hasPages: boolean; ofQuery?: boolean } = { hasPages: true },
): Where {
  if (parameters.length === 0) return { all: [] }
  const plain: Clause[] = []
  const groups = new Map<string, Clause[][]>()
  const count: TestCount = { tests: 0 }
  let isFree = hasPages
  for (const [name, value] of parameters) {
    const read = () => readFilter(dialect, name, value)
    const { clauses, group } = ofQuery ? naming(name, read) : read()
    if (isFree && group === undefined && isPageStart(clauses)) isFree = false
    else requireCountable(count, countTests(clauses))
    if (group === undefined) plain.push(...clauses)
    else groups.set(group, [...(groups.get(group) ?? []), clauses])
  }
  const grouped = [...groups].flatMap(([group, filters]) => {
    const joined = joinGroup(group, filters)
    // Combining alternatives repeats tests.
    requireCountable(count, countTests(joined) - countTests(filters.flat()))
    return joined
  })
  return { all: [...plain, ...grouped] }
}

/** Reads a filter as clauses, all of which must hold: a negated `__or__` excludes each of its fields. */
function readFilter(dialect: Dialect, given: string, value: string): { clauses: Clause[]; group: string | undefined } {
  const { name, group, isNegated, isExistence } = readPrefixes(given)
  const clauses: Clause[] = [{ any: isExistence ? readExistence(name, value) : readTests(dialect, name, value) }]
  return { clauses: isNegated ? negateAll(clauses) : clauses, group }
}

/**
 * Decodes filters of a subscription: an object of names and values, spelled like list parameters. An array is a list for
 * `in` and `notin`; otherwise each of its items must hold. The limits of queries apply.
 *
 * @throws {SvcError} `INVALID_FILTER`; `INVALID_QUERY` for over 8 KB or invalid characters
 */
export function decodeFilters(dialect: Dialect, filters: JsonObject): Where {
  requireShort(filters)
  const parameters = Object.entries(filters).flatMap((filter) => filterParameters(dialect, filter))
  for (const parameter of parameters) parameter.forEach(requireSpeakable)
  // Subscriptions have no pages.
  return decodeWhere(dialect, parameters, { hasPages: false })
}

function filterParameters(dialect: Dialect, [name, value]: [string, Json]): Parameter[] {
  if (!Array.isArray(value)) return [[name, filterText(name, value)]]
  const texts = value.map((item) => filterText(name, item))
  const { name: field, isExistence } = readPrefixes(name)
  const isList = !isExistence && isListed(readName(dialect, field).operator)
  return isList ? [[name, joinList(texts)]] : texts.map((text) => [name, text])
}

function isListed(operator: SuffixOperator): operator is 'in' | 'notin' {
  return operator === 'in' || operator === 'notin'
}

function filterText(name: string, value: Json): string {
  const hasText = typeof value === 'number' ? Number.isFinite(value) : value === null || typeof value !== 'object'
  if (hasText) return String(value)
  throw new SvcError('INVALID_FILTER', `The filter "${name}" must be a string, a number, true, false or null.`)
}

function readTests(dialect: Dialect, name: string, value: string): Test[] {
  const names = name.split('__or__')
  const isShared = axes.refusals[dialect.refusals].sharesSuffixes || names.length === 1
  return isShared ? readShared(dialect, name, value) : names.flatMap((one) => readShared(dialect, one, value))
}

/** Reads fields that share the suffix of the last one. */
function readShared(dialect: Dialect, name: string, value: string): Test[] {
  const { fields, operator, ignoresCase } = readName(dialect, name)
  const values = isListed(operator) ? splitList(value) : [value]
  requireSearchable(name, operator, value)
  return readFields(name, fields).map((path) => ({
    ...readTest(path, operator, value, values),
    ...(ignoresCase && { ignoresCase }),
  })) as PlainTest[]
}

/** The whole name is that of the field, because no suffix is needed. */
function readExistence(name: string, value: string): Test[] {
  return readFields(name, name.split('__or__')).map((path) => ({
    path,
    operator: 'exists',
    exists: readTruth('exists', path, value),
  }))
}

function readFields(name: string, fields: readonly string[]): Path[] {
  if (fields.includes('')) throw new SvcError('INVALID_FILTER', `The filter "${name}" names no field.`)
  return fields.map((field) => ownName(parsePath(field)))
}

/** Recognizes the cursor of a page, a cheap test on the primary key that clients add to all pages but the first. */
function isPageStart([clause]: readonly Clause[]): boolean {
  const [test, ...more] = clause?.any ?? []
  return test?.operator === 'gt' && ownField(test.path) === 'id' && more.length === 0
}

function countTests(clauses: readonly Clause[]): number {
  const tests = clauses.flatMap(({ any }) => any).map(withoutNot)
  return tests.reduce((sum, test) => sum + ('values' in test ? test.values.length : 1), 0)
}

/** Applies the suffix after the last field to all fields. Contract 4.5. */
function readName(dialect: Dialect, name: string): Omit<NamedTest, 'field'> & { fields: readonly string[] } {
  const fields = name.split('__or__')
  const family = axes.filters[dialect.filters]
  const last = fields.pop() ?? ''
  const { refusesUnknownSuffixes, unknownSuffixes } = axes.refusals[dialect.refusals]
  const isUnknown = unknownSuffixes.some((word) => last.endsWith(`_${word}`))
  const { field, ...test } = isUnknown
    ? { field: last, operator: 'eq' as const }
    : refusesUnknownSuffixes
      ? family.decode(last)
      : decodeAnyName(family, last)
  // A field that is repeated keeps its whole name. Clients repeat it to give two lists different names.
  for (const other of fields) if (other !== field) family.requireBare(other)
  return { fields: [...fields, field], ...test }
}

/** Reads a word after `__` that is not a suffix as part of the name. */
function decodeAnyName({ decode }: (typeof axes.filters)[Dialect['filters']], name: string): NamedTest {
  try {
    return decode(name)
  } catch {
    return { field: name, operator: 'eq' }
  }
}

function readTest(path: Path, operator: SuffixOperator, value: string, values: readonly string[]): PlainTest {
  if (isListed(operator)) return { path, operator, values }
  if (operator !== 'isnull') return { path, operator, value }
  return { path, operator, isNull: readTruth(operator, path, value) }
}

function readTruth(operator: Operator, path: Path, value: string): boolean {
  if (value === 'true' || value === 'false') return value === 'true'
  throw new SvcError('INVALID_FILTER', `"${operator}" on "${formatPath(path)}" takes true or false, not "${value}".`)
}

/** A comma or a leading `-` says that each field has its own direction. Contract 13.5. */
function readSort(dialect: Dialect, named: ReadonlyMap<string, string>): Sort[] {
  const fields = sortNames.filter((name) => named.has(name))
  if (fields.length > 1) throw badParameter(fields[1] ?? '', `"${fields.join('" and "')}" say the same. Give one.`)
  const direction = readDirection(named)
  const [name = ''] = fields
  const text = named.get(name)
  // A direction alone applies to the default order, which is by creation.
  if (text === undefined) return direction === 'asc' ? [{ path: ['createdAt'], direction }] : []
  const parts = splitList(text)
  if (parts.length > sizes.maxSortFields)
    throw badParameter(name, `At most ${sizes.maxSortFields} fields can be sorted by.`)
  const hasSigns = parts.length > 1 || text.startsWith('-')
  const unsaid = hasSigns ? 'asc' : axes.order[dialect.order].unsaid
  if (hasSigns && direction) {
    const other = directionNames.find((one) => named.has(one)) ?? ''
    throw badParameter(
      other,
      `"${other}" cannot be combined with directions in "${name}". Put "-" before a field to sort descending.`,
    )
  }
  return parts.map((part): Sort => {
    const isDescending = part.startsWith('-')
    const field = part.replace(/^-/, '').replace(/^\\(?=-)/, '')
    if (field === '') throw badParameter(name, `"${name}" names no field.`)
    return { path: ownName(parsePath(field)), direction: isDescending ? 'desc' : (direction ?? unsaid) }
  })
}

function readDirection(named: ReadonlyMap<string, string>): Sort['direction'] | undefined {
  const [name, extra] = directionNames.filter((name) => named.has(name))
  if (extra) throw badParameter(extra, '"order" and "sort_order" say the same. Give one.')
  const direction = name && named.get(name)
  if (direction === undefined || direction === 'asc' || direction === 'desc') return direction
  throw badParameter(name ?? '', `"${name}" is asc or desc, not "${direction}".`)
}

function checkPopulate(paths: Path[]): Path[] {
  if (paths.length > sizes.maxPopulatePaths) {
    throw badParameter('populate', `At most ${sizes.maxPopulatePaths} paths can be populated.`)
  }
  const tooDeep = paths.find((path) => path.length > sizes.maxPopulateDepth)
  if (tooDeep)
    throw badParameter('populate', `"${formatPath(tooDeep)}" is deeper than ${sizes.maxPopulateDepth} links.`)
  return paths
}

function checkSelect(paths: Path[]): Path[] {
  if (paths.length > sizes.maxSelectedFields) {
    throw badParameter('select', `At most ${sizes.maxSelectedFields} fields can be selected.`)
  }
  if (paths.some((path) => path.includes(''))) throw badParameter('select', '"select" names no field.')
  return paths.map(ownName)
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

/** Creates an error with an issue that names the parameter. */
export function badParameter(name: string, message: string, code: ErrorCode = 'INVALID_QUERY'): SvcError {
  return new SvcError(code, message, [{ in: 'query', path: [name], message, type: 'value' }])
}

/** Adds the name of the parameter to errors of `read`. */
function naming<Value>(name: string, read: () => Value): Value {
  try {
    return read()
  } catch (error) {
    if (error instanceof SvcError && error.issues.length === 0) throw badParameter(name, error.message, error.code)
    throw error
  }
}

/** Splits at commas; `\,` is a comma in a value. */
export function splitList(value: string): string[] {
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
