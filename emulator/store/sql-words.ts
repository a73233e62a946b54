import type { Operator } from '../../client/model/where.js'
import { type Fragment, joinSql, literal, nothing, sql } from '../database/database.js'
import { lowerCased } from './field-sql.js'

export type Order = Extract<Operator, 'gt' | 'gte' | 'lt' | 'lte'>

export const comparisons: Readonly<Record<Order, Fragment>> = { gt: sql`>`, gte: sql`>=`, lt: sql`<`, lte: sql`<=` }

/** Holds when any of them does. */
export function anyOf(conditions: readonly Fragment[]): Fragment {
  return conditions.length === 0 ? sql`false` : sql`(${joinSql(conditions, ' or ')})`
}

/**
 * Where a page begins and ends. How long it is stands in the text: of a limit that it does not know PostgreSQL expects a tenth
 * of all rows, and then finds it worth its time to plan each page anew.
 */
export function pageEnd({ limit, offset }: { readonly limit: number; readonly offset: number }): Fragment {
  return sql`limit ${literal(limit)} ${offset === 0 ? nothing : sql`offset ${offset}::bigint`}`
}

/** A text as part of a pattern for `like … escape '\'`. */
export function escaped(text: string): string {
  return text.replaceAll(/[\\%_]/g, '\\$&')
}

/** Case is ignored. Text indexes are over the left side, exactly so. */
export function isLikeAnyCase(subject: Fragment, pattern: string): Fragment {
  return sql`${lowerCased(subject)} like ${lowerCased(sql`${pattern}::text`)} escape '\\'`
}
