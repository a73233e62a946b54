/** A list request as query parameters, and filters of realtime, as clients encode them. */
import { SvcError } from '../../model/errors.js'
import type { Json, JsonObject } from '../../model/json.js'
import type { ListQuery } from '../../model/page.js'
import { formatPath } from '../../model/path.js'
import type { Test, Where } from '../../model/where.js'
import { suffixEncoders } from '../filters/encode.js'
import type { GivenParameter } from './format.js'
import { joinList } from './names.js'

interface Speaks {
  readonly filters: keyof typeof suffixEncoders
}

type AskedList = Pick<ListQuery, 'where'> & Partial<ListQuery>

/** @throws {SvcError} `INVALID_FILTER` if the dialect has no spelling for a test. */
export function encodeListQuery(dialect: Speaks, query: AskedList): GivenParameter[] {
  const { where, sort, count, populate = [] } = query
  return [
    ...testsOf(where).map(([prefix, test]) => [prefix + writeName(dialect, test), writeValue(test)] as const),
    ['orderBy', sort && formatPath(sort.path)],
    ['order', sort?.direction],
    ['limit', query.limit],
    ['offset', query.offset],
    ['count', count ? undefined : count],
    ...populate.map((path) => ['populate', formatPath(path)] as const),
  ]
}

/** Filters as realtime takes them: names and values. @throws {SvcError} `INVALID_FILTER` if the dialect has no spelling for a test */
export function encodeFilters(dialect: Speaks, where: Where): JsonObject {
  // Without a prototype, `__proto__` is a name like any other.
  const filters: JsonObject = Object.create(null)
  for (const [prefix, test] of testsOf(where)) {
    let name = prefix + writeName(dialect, test)
    // Two lists under one name would be one list. With its field named twice, the second means the same, and has another name.
    while ('values' in test && name in filters)
      name = `${prefix + formatPath(test.path)}__or__${name.slice(prefix.length)}`
    const value = writeValue(test)
    filters[name] = name in filters ? ([filters[name], value].flat() as Json) : value
  }
  return filters
}

/** Each test with what its name begins with: alternatives share a group. */
function testsOf({ all }: Where): (readonly [prefix: string, test: Test])[] {
  return all.flatMap(({ any }, at) => any.map((test) => [any.length === 1 ? '' : `[or:${at}]`, test] as const))
}

function writeName(dialect: Speaks, { path, operator }: Test): string {
  const field = formatPath(path)
  const name = suffixEncoders[dialect.filters](field, operator)
  if (name && !/^\[or|__or__/.test(name)) return name
  throw new SvcError('INVALID_FILTER', `This dialect has no "${operator}" on "${field}".`)
}

function writeValue(test: Test): string {
  if ('values' in test) return joinList(test.values)
  return 'value' in test ? test.value : `${test.isNull}`
}
