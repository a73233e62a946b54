import type { Sort } from '../../client/model/page.js'
import { ownField } from '../../client/model/where.js'
import { type Fragment, sql } from '../database/database.js'

/** How a list is ordered: what to read beside the id from `documents d`, and the order by that and the id. */
export interface Ordering {
  /** The column `value` of the sort, null where the field is missing. */
  readonly value: Fragment
  /** An `order by` list over `id` and `value`, the same for every reader of those two. */
  readonly order: Fragment
}

/**
 * The order of contract 4.1. It is jsonb's own but for the empty array, which jsonb puts before everything; the first
 * key sets arrays and objects apart from the rest, so that it comes first among the arrays.
 */
export function orderingOf(sort: Sort | undefined): Ordering {
  if (!sort) return { value: sql`null`, order: sql`id desc` }
  const direction = directions[sort.direction]
  const own = ownField(sort.path)
  if (own === 'id') return { value: sql`null`, order: sql`id ${direction}` }
  if (own) return { value: columns[own], order: sql`value ${direction}, id` }
  return {
    value: sql`d.data #> ${sort.path}::text[]`,
    order: sql`(value > 'true'::jsonb or value = '[]'::jsonb) ${direction} nulls last, value ${direction} nulls last, id`,
  }
}

const directions = { asc: sql`asc`, desc: sql`desc` } as const
const columns = { createdAt: sql`d.created_at`, updatedAt: sql`d.updated_at` } as const
