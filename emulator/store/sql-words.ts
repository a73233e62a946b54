import { sizes } from '../../client/protocol/model/limits.js'
import type { Operator } from '../../client/protocol/model/where.js'
import { type Fragment, joinSql, literal, nothing, sql } from '../database/port.js'
import { lowerCased } from './lists/fields.js'

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
  const largest = literal(sizes.maxDocumentBytes * 1.5)
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

/** By code point, whatever the collation of the database. */
export function isLike(subject: Fragment, pattern: string): Fragment {
  return sql`(${subject} collate "C") like ${pattern} escape '\\'`
}

/** Characters of a text whose search by `like` is bounded by the text that is searched. */
const cheapCharacters = 32
const cheapBytes = 2_048

/**
 * Whether a subject has the text in it. `like` begins anew at each place where it failed, so that a long text in a long one takes
 * it minutes; a regular expression goes through once, but it has to be compiled.
 */
export function hasText(subject: Fragment, text: string, ignoresCase: boolean): Fragment {
  const pattern = `%${escaped(text)}%`
  const like = ignoresCase ? isLikeAnyCase(subject, pattern) : isLike(subject, pattern)
  if (text.length <= cheapCharacters) return like
  // All of it is literal, as `***=` says.
  const expression = sql`${`***=${text}`}::text`
  const goesThrough = ignoresCase
    ? sql`${lowerCased(subject)} ~ ${lowerCased(expression)}`
    : sql`(${subject} collate "C") ~ ${expression}`
  return sql`case when octet_length(${subject}) <= ${literal(cheapBytes)} then ${like} else ${goesThrough} end`
}

/** As much of a text as a first, loose look may ask for. */
export function cheapStart(text: string): string {
  return text.length <= cheapCharacters ? text : [...text].slice(0, cheapCharacters).join('')
}

export function cheapEnd(text: string): string {
  return text.length <= cheapCharacters ? text : [...text].slice(-cheapCharacters).join('')
}
