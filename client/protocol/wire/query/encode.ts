/** Encodes list requests, and filters of subscriptions. */
import { SvcError } from '../../model/errors.js'
import type { Json, JsonObject } from '../../model/json.js'
import type { ListQuery } from '../../model/page.js'
import { formatPath, type Path } from '../../model/path.js'
import type { Test, Where } from '../../model/where.js'
import { suffixEncoders } from '../filters/encode.js'
import type { GivenParameter } from './format.js'
import { joinList } from './names.js'

interface Speaks {
  readonly filters: keyof typeof suffixEncoders
}

type AskedList = Pick<ListQuery, 'where'> & Partial<ListQuery>

/** @throws {SvcError} `INVALID_FILTER` if the dialect cannot express a test */
export function encodeListQuery(dialect: Speaks, query: AskedList): GivenParameter[] {
  const { where, sort, count, populate = [] } = query
  return [
    ...listTests(where).map(([prefix, test]) => [prefix + writeName(dialect, test), writeValue(test)] as const),
    ['orderBy', sort && formatPath(sort.path)],
    ['order', sort?.direction],
    ['limit', query.limit],
    ['offset', query.offset],
    ['count', count ? undefined : count],
    ...populate.map(populateParameter),
  ]
}

/** Encodes a path to populate. Escapes commas in names, because commas separate paths. Contract 4.6. */
export function populateParameter(path: Path): GivenParameter {
  return ['populate', joinList([formatPath(path)])]
}

/** Encodes filters of a subscription as names and values. @throws {SvcError} `INVALID_FILTER` if the dialect cannot express a test */
export function encodeFilters(dialect: Speaks, where: Where): JsonObject {
  // Has no prototype, so that `__proto__` works as a name.
  const filters: JsonObject = Object.create(null)
  for (const [prefix, test] of listTests(where)) {
    let name = prefix + writeName(dialect, test)
    // Repeats the field of a second list to give it another name; two lists of one name would become one list.
    while ('values' in test && name in filters)
      name = `${prefix + formatPath(test.path)}__or__${name.slice(prefix.length)}`
    const value = writeValue(test)
    filters[name] = name in filters ? ([filters[name], value].flat() as Json) : value
  }
  return filters
}

/** No record has this id. */
const never: Test = { path: ['id'], operator: 'eq', value: '00000000-0000-0000-0000-000000000000' }

/**
 * Returns each test with its group prefix; alternatives share a group. Replaces empty lists, which the wire cannot express:
 * `in` without values is false, `notin` without values is true.
 */
function listTests({ all }: Where): (readonly [prefix: string, test: Test])[] {
  return all.flatMap(({ any }, at) => {
    const isEmptyList = (test: Test) => 'values' in test && test.values.length < 1
    if (any.some((test) => test.operator === 'notin' && isEmptyList(test))) return []
    const possible = any.filter((test) => !isEmptyList(test))
    const prefix = possible.length > 1 ? `[or:${at}]` : ''
    return (possible[0] ? possible : [never]).map((test) => [prefix, test] as const)
  })
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
