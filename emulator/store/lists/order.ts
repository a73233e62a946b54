import type { Sort } from '../../../client/protocol/model/page.js'
import { ownField } from '../../../client/protocol/model/where.js'
import { type Fragment, identifier, joinSql, nothing, sql } from '../../database/port.js'
import { fieldInstant, fieldValue, inOrder, ownTimes } from './fields.js'

/** The order of a list: expressions of `documents d` to read, and the order by them and the id. */
export interface Ordering {
  /** The columns that `order` sorts by, each null if its field is missing. */
  readonly values: Fragment
  /** The names of these columns. */
  readonly names: Fragment
  /** An `order by` list over `id` and these columns. */
  readonly order: Fragment
  readonly direction: Fragment
  readonly opposite: Fragment
  /** The order of the documents in an index, apart from those it excludes. Only for a sort by one field. */
  readonly inIndex: Fragment
  /** Ends a select of the values if each should be computed only once, although the order uses it several times. */
  readonly fence: Fragment
  /** Whether the order is by id only. */
  readonly isById: boolean
}

/** The order by one field. */
interface FieldOrder {
  readonly value: Fragment
  /** Keys of an `order by` over the column of this name. */
  toKeys(column: Fragment): readonly Fragment[]
  readonly inIndex: Fragment
  readonly isFenced: boolean
}

/**
 * Returns the order of contract 4.1 and 13.5: later fields decide where earlier ones are equal, and finally the id. Fields
 * after the id decide nothing.
 */
export function buildOrdering(sort: readonly Sort[]): Ordering {
  const [first] = sort
  const way = first?.direction ?? 'desc'
  const ways = { direction: directions[way], opposite: directions[way === 'asc' ? 'desc' : 'asc'] }
  if (!first || ownField(first.path) === 'id') {
    return {
      values: sql`null::text as value`,
      names: sql`value`,
      order: sql`id ${ways.direction}`,
      inIndex: sql`d.id ${ways.direction}`,
      ...ways,
      fence: nothing,
      isById: true,
    }
  }
  const byId = sort.findIndex(({ path }) => ownField(path) === 'id')
  const fields = (byId === -1 ? sort : sort.slice(0, byId)).map(orderByField)
  const lastWay = sort[byId] && sort[byId].direction === 'desc' ? sql` desc` : nothing
  const columns = fields.map((_, at) => (at === 0 ? sql`value` : identifier(`value_${at}`)))
  const keys = fields.flatMap(({ toKeys }, at) => toKeys(columns[at] ?? nothing))
  return {
    values: joinSql(
      fields.map(({ value }, at) => sql`${value} as ${columns[at] ?? nothing}`),
      ', ',
    ),
    names: joinSql(columns, ', '),
    order: sql`${joinSql(keys, ', ')}, id${lastWay}`,
    inIndex: sql`${joinSql(
      fields.map(({ inIndex }) => inIndex),
      ', ',
    )}, d.id${lastWay}`,
    ...ways,
    fence: fields.some(({ isFenced }) => isFenced) ? sql`offset 0` : nothing,
    isById: false,
  }
}

const directions = { asc: sql`asc`, desc: sql`desc` } as const

/**
 * The order of values is that of jsonb except for the empty array, which jsonb sorts before everything. The first key sets
 * arrays and objects apart, so that the empty array comes first among the arrays.
 */
function orderByField({ path, direction: way, isTime }: Sort): FieldOrder {
  const direction = directions[way]
  const own = ownField(path)
  if (own && own !== 'id') {
    const value = ownTimes[own]
    return {
      value,
      toKeys: (column) => [sql`${column} ${direction}`],
      inIndex: sql`${value} ${direction}`,
      isFenced: false,
    }
  }
  const value = isTime ? fieldInstant(path) : inOrder(fieldValue(path))
  const inIndex = sql`${value} ${direction} nulls last`
  const toKey = (key: Fragment) => sql`${key} ${direction} nulls last`
  if (isTime) return { value, toKeys: (column) => [toKey(column)], inIndex, isFenced: true }
  const isApart = (column: Fragment) =>
    sql`(${column} > ${inOrder(sql`'true'::jsonb`)} or ${column} = ${inOrder(sql`'[]'::jsonb`)})`
  return { value, toKeys: (column) => [toKey(isApart(column)), toKey(column)], inIndex, isFenced: true }
}
