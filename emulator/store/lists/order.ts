import type { Sort } from '../../../client/protocol/model/page.js'
import { ownField } from '../../../client/protocol/model/where.js'
import { type Fragment, nothing, sql } from '../../database/port.js'
import { fieldInstant, fieldValue, inOrder, ownTimes } from './fields.js'

/** The order of a list: an expression of `documents d` to read, and the order by it and the id. */
export interface Ordering {
  /** The column `value`, null if the field is missing. */
  readonly value: Fragment
  /** An `order by` list over `id` and `value`. */
  readonly order: Fragment
  readonly direction: Fragment
  readonly opposite: Fragment
  /** The order of the documents in an index, apart from those it excludes. */
  readonly inIndex: Fragment
  /** Ends a select of `value` if it should be computed only once, although the order uses it several times. */
  readonly fence: Fragment
  /** Whether the order is by id only. */
  readonly isById: boolean
}

/**
 * Returns the order of contract 4.1. It is that of jsonb except for the empty array, which jsonb sorts before
 * everything. The first key sets arrays and objects apart, so that the empty array comes first among the arrays.
 */
export function buildOrdering(sort: Sort | undefined): Ordering {
  const isAscending = sort?.direction === 'asc'
  const ways = isAscending ? { direction: sql`asc`, opposite: sql`desc` } : { direction: sql`desc`, opposite: sql`asc` }
  const { direction } = ways
  const own = sort ? ownField(sort.path) : 'id'
  if (!sort || own === 'id') {
    return {
      value: sql`null::text`,
      order: sql`id ${direction}`,
      inIndex: sql`d.id ${direction}`,
      ...ways,
      fence: nothing,
      isById: true,
    }
  }
  if (own)
    return {
      value: ownTimes[own],
      order: sql`value ${direction}, id`,
      inIndex: sql`${ownTimes[own]} ${direction}, d.id`,
      ...ways,
      fence: nothing,
      isById: false,
    }
  if (sort.isTime) {
    const value = fieldInstant(sort.path)
    return {
      value,
      order: sql`value ${direction} nulls last, id`,
      inIndex: sql`${value} ${direction} nulls last, d.id`,
      ...ways,
      fence: sql`offset 0`,
      isById: false,
    }
  }
  return {
    value: inOrder(fieldValue(sort.path)),
    order: sql`(value > ${inOrder(sql`'true'::jsonb`)} or value = ${inOrder(sql`'[]'::jsonb`)}) ${direction} nulls last, value ${direction} nulls last, id`,
    ...ways,
    inIndex: sql`${inOrder(fieldValue(sort.path))} ${direction} nulls last, d.id`,
    fence: sql`offset 0`,
    isById: false,
  }
}
