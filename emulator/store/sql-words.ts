import { sizes } from '../../client/model/limits.js'
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
 * That a column has the value, in words that only an index led by it can serve in order: so PostgreSQL need not plan each page
 * anew, and walks no other index to its end.
 */
export function isExactly(column: Fragment, value: Fragment | string): Fragment {
  return sql`${column} >= ${value} and ${column} <= ${value}`
}

/** What people ask for who say nothing, and who read everything. */
const usualLimits = [20, 100]

/**
 * Where a page begins and ends. A usual limit stands in the text: of one that it does not know PostgreSQL expects a tenth of
 * all rows, and then finds it worth its time to plan each page anew. Others do not, since every text is kept prepared.
 */
export function pageEnd({ limit, offset }: { readonly limit: number; readonly offset: number }): Fragment {
  const most = usualLimits.includes(limit) ? literal(limit) : sql`${limit}::bigint`
  return sql`limit ${most} ${offset === 0 ? nothing : sql`offset ${offset}::bigint`}`
}

/**
 * How many bytes of text a JSON column may become, without reading it: a compressed value as many as it may have been, which
 * is at most what a document may be, with the spaces that PostgreSQL writes.
 */
export function mostTextBytes(json: Fragment): Fragment {
  const largest = literal(sizes.mostDocumentBytes * 1.5)
  return sql`case
    when ${json} is null then 0
    when pg_column_compression(${json}) is null then pg_column_size(${json})
    else least(pg_column_size(${json})::bigint * ${literal(mostCompression)}, ${largest})
  end`
}

/** What lz4 makes one byte of at most; pglz, the default, makes one of 90. */
const mostCompression = 255

/** A text as part of a pattern for `like … escape '\'`. */
export function escaped(text: string): string {
  return text.replaceAll(/[\\%_]/g, '\\$&')
}

/** Case is ignored. Text indexes are over the left side, exactly so. */
export function isLikeAnyCase(subject: Fragment, pattern: string): Fragment {
  return sql`${lowerCased(subject)} like ${lowerCased(sql`${pattern}::text`)} escape '\\'`
}
