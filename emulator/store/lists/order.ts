import type { Sort } from '../../../client/protocol/model/page.js'
import { ownField } from '../../../client/protocol/model/where.js'
import { type Fragment, nothing, sql } from '../../database/port.js'
import { fieldInstant, fieldValue, inOrder, ownTimes } from './fields.js'

/** How a list is ordered: what to read of `documents d` beside the id, and the order by id and that. */
export interface Ordering {
  /** The column `value`, null where the field is missing. */
  readonly value: Fragment
  /** An `order by` list over `id` and `value`. */
  readonly order: Fragment
  readonly direction: Fragment
  readonly opposite: Fragment
  /** The order in which an index has the documents whose value may stand there. */
  readonly inIndex: Fragment
  /** Ends a select of `value`, where that is worth computing once although the order names it several times. */
  readonly fence: Fragment
  /** Whether the id alone decides. */
  readonly isById: boolean
}

/**
 * The order of contract 4.1. It is jsonb's own but for the empty array, which jsonb puts before everything; the first
 * key sets arrays and objects apart from the rest, so that it comes first among the arrays.
 */
export function orderingOf(sort: Sort | undefined): Ordering {
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
