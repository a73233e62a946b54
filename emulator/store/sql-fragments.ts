import { sizes } from '../../client/protocol/model/limits.js'
import type { OperatorOf } from '../../client/protocol/model/operator-kinds.js'
import { type Fragment, joinSql, literal, nothing, sql } from '../database/port.js'
import { lowerCased } from './lists/fields.js'

export type Order = OperatorOf<'order'>

export const comparisons: Readonly<Record<Order, Fragment>> = { gt: sql`>`, gte: sql`>=`, lt: sql`<`, lte: sql`<=` }

/** Combines conditions with `or`. */
export function anyOf(conditions: readonly Fragment[]): Fragment {
  return conditions.length === 0 ? sql`false` : sql`(${joinSql(conditions, ' or ')})`
}

/**
 * Compares a column by range, so that only an index that starts with it provides the order. Then PostgreSQL need not
 * plan each page again, and never walks another index to its end.
 */
export function isExactly(column: Fragment, value: Fragment | string): Fragment {
  return sql`${column} >= ${value} and ${column} <= ${value}`
}

/** The default limit, and the limit for reading everything. */
const usualLimits = [20, 100]

/**
 * Limits and offsets a page. Usual limits are literals: for a parameter, PostgreSQL expects a tenth of all rows and
 * plans each page again. Other limits are not, because every text stays prepared.
 */
export function pageEnd({ limit, offset }: { readonly limit: number; readonly offset: number }): Fragment {
  const most = usualLimits.includes(limit) ? literal(limit) : sql`${limit}::bigint`
  return sql`limit ${most} ${offset === 0 ? nothing : sql`offset ${offset}::bigint`}`
}

/**
 * An upper bound of a JSON column as text in bytes, without reading it. For a compressed value it is the maximum before
 * compression, which is at most the size of a document with the spaces that PostgreSQL adds.
 */
export function maxTextBytes(json: Fragment): Fragment {
  const largest = literal(sizes.maxDocumentBytes * 1.5)
  return sql`case
    when ${json} is null then 0
    when pg_column_compression(${json}) is null then pg_column_size(${json})
    else least(pg_column_size(${json})::bigint * ${literal(maxCompression)}, ${largest})
  end`
}

/** The best ratio of lz4. That of pglz, the default, is 90. */
const maxCompression = 255

/** Escapes a text for a pattern of `like … escape '\'`. */
export function escaped(text: string): string {
  return text.replaceAll(/[\\%_]/g, '\\$&')
}

/** Ignores case. Text indexes are over exactly the left side. */
export function isLikeAnyCase(subject: Fragment, pattern: string): Fragment {
  return sql`${lowerCased(subject)} like ${lowerCased(sql`${pattern}::text`)} escape '\\'`
}

/** Compares the end without a pattern, because one that begins with "%" takes the square of a long text's length. */
export function hasEndInAnyCase(subject: Fragment, text: string): Fragment {
  const end = lowerCased(sql`${text}::text`)
  return sql`right(${lowerCased(subject)}, char_length(${end})) = ${end}`
}

/** Compares by code point, whatever the collation of the database. */
export function isLike(subject: Fragment, pattern: string): Fragment {
  return sql`(${subject} collate "C") like ${pattern} escape '\\'`
}

/** The length of a text up to which `like` is fast enough. */
const cheapCharacters = 32
const cheapBytes = 2_048

/**
 * Whether a subject contains the text. `like` restarts after each mismatch, which takes minutes for a long text in a
 * long one. A regular expression needs one pass, but has to be compiled.
 */
export function hasText(subject: Fragment, text: string, ignoresCase: boolean): Fragment {
  const pattern = `%${escaped(text)}%`
  const like = ignoresCase ? isLikeAnyCase(subject, pattern) : isLike(subject, pattern)
  if (text.length <= cheapCharacters) return like
  // `***=` makes the rest literal.
  const expression = sql`${`***=${text}`}::text`
  const goesThrough = ignoresCase
    ? sql`${lowerCased(subject)} ~ ${lowerCased(expression)}`
    : sql`(${subject} collate "C") ~ ${expression}`
  return sql`case when octet_length(${subject}) <= ${literal(cheapBytes)} then ${like} else ${goesThrough} end`
}

/** Shortens a text for a rough first check. */
export function cheapStart(text: string): string {
  return text.length <= cheapCharacters ? text : [...text].slice(0, cheapCharacters).join('')
}

export function cheapEnd(text: string): string {
  return text.length <= cheapCharacters ? text : [...text].slice(-cheapCharacters).join('')
}

/** Compares a single id directly: for a list, PostgreSQL expects ten ids and plans again each time. */
export function isOneOf(ids: readonly string[]): Fragment {
  const [id, ...others] = ids
  return id !== undefined && others.length === 0 ? sql`d.id = ${id}` : sql`d.id = any(${ids}::uuid[])`
}

/** Whether the user created the document `d`. Without a creator, all documents match. */
export function isCreatedBy(creator: string | undefined): Fragment {
  return creator === undefined ? sql`true` : sql`d.created_by = ${creator}::uuid`
}
