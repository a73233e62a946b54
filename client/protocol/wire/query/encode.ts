/** Encodes list requests, and filters of subscriptions. */
import { SvcError } from '../../model/errors.js'
import type { Json, JsonObject } from '../../model/json.js'
import type { ListQuery, RecordQuery } from '../../model/page.js'
import { formatPath } from '../../model/path.js'
import { type PlainTest, type Test, type Where, withoutNot } from '../../model/where.js'
import { suffixEncoders } from '../filters/encode.js'
import { orderNames } from '../order/encode.js'
import type { GivenParameter } from './format.js'
import { joinList } from './names.js'

interface Speaks {
  readonly filters: keyof typeof suffixEncoders
  readonly order: keyof typeof orderNames
}

type AskedList = Pick<ListQuery, 'where'> & Partial<ListQuery>

/** @throws {SvcError} `INVALID_FILTER` if the dialect cannot express a test */
export function encodeListQuery(dialect: Speaks, query: AskedList): GivenParameter[] {
  const { where, sort = [], count } = query
  const [first, second] = sort
  const names = orderNames[dialect.order]
  return [
    ...listTests(where).map(([prefix, test]) => [prefix + writeName(dialect, test), writeValue(test)] as const),
    // Escapes a minus at the beginning of a name, which would mean descending. Contract 13.5.
    [
      names.sort,
      first &&
        joinList(
          sort.map(({ path, direction }) => {
            const name = formatPath(path).replace(/^-/, '\\-')
            return second && direction === 'desc' ? `-${name}` : name
          }),
        ),
    ],
    ['order', second ? undefined : first?.direction],
    ['limit', query.limit],
    ['offset', query.offset],
    ['count', count || !names.counts ? undefined : count],
    ...recordParameters(query),
  ]
}

/** Encodes which fields to return and which links to replace. Escapes commas in names, because commas separate paths. */
export function recordParameters({ populate = [], select = [] }: Partial<RecordQuery>): GivenParameter[] {
  return [
    ...populate.map((path): GivenParameter => ['populate', joinList([formatPath(path)])]),
    ['select', select[0] && joinList(select.map(formatPath))],
  ]
}

/** Encodes filters of a subscription as names and values. @throws {SvcError} `INVALID_FILTER` if the dialect cannot express a test */
export function encodeFilters(dialect: Pick<Speaks, 'filters'>, where: Where): JsonObject {
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
 * Returns each test with its prefixes; alternatives share a group. Replaces empty lists, which the wire cannot express:
 * `in` without values is false, `notin` without values is true.
 */
function listTests({ all }: Where): (readonly [prefix: string, test: PlainTest])[] {
  return all.flatMap(({ any }, at) => {
    if (any.some((test) => fixedOutcome(test))) return []
    const possible = any.filter((test) => fixedOutcome(test) === undefined)
    const prefix = possible.length > 1 ? `[or:${at}]` : ''
    return (possible[0] ? possible : [never]).map(
      (test) => [test.operator === 'not' ? `${prefix}[not]` : prefix, withoutNot(test)] as const,
    )
  })
}

/** Tells what an empty list means; undefined for all other tests. */
function fixedOutcome(given: Test): boolean | undefined {
  const test = withoutNot(given)
  return 'values' in test && test.values.length < 1 ? (test.operator === 'notin') === (given === test) : undefined
}

function writeName(dialect: Pick<Speaks, 'filters'>, { path, operator }: PlainTest): string {
  const field = formatPath(path)
  const name = operator === 'exists' ? field : suffixEncoders[dialect.filters](field, operator)
  if (name && !/^\[(or|not|exists)|__or__/.test(name)) return operator === 'exists' ? `[exists]${name}` : name
  throw new SvcError('INVALID_FILTER', `This dialect has no "${operator}" on "${field}".`)
}

function writeValue(test: PlainTest): string {
  if ('values' in test) return joinList(test.values)
  return 'value' in test ? test.value : `${'exists' in test ? test.exists : test.isNull}`
}
