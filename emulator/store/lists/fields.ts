/**
 * The SQL for fields of documents, shared by lists and field indexes: an index is used only for identical expressions.
 */
import type { Path } from '../../../client/protocol/model/path.js'
import type { OwnField } from '../../../client/protocol/model/where.js'
import { type Fragment, joinSql, sql } from '../../database/port.js'

/** The field's value, null if it is missing. */
export function fieldValue(path: Path): Fragment {
  return sql`(d.data #> ${path}::text[])`
}

/**
 * The value in the order of contract 4.1, by code point. If the database sorts texts this way, it is the value, which
 * the planner can see. Otherwise it is a key, because jsonb compares texts by the database's collation. Compare it only
 * with other keys.
 */
export function inOrder(value: Fragment): Fragment {
  return sql`in_order(${value})`
}

/** The field's text: a string itself, other values as JSON, null if it is missing. */
export function fieldText(path: Path): Fragment {
  return sql`(d.data #>> ${path}::text[])`
}

/**
 * Whether a value is excluded from ordered indexes. Large values are, because PostgreSQL refuses index entries over
 * 2,700 bytes (jsonb takes up to four times its text). The empty array is, because jsonb sorts it first, unlike
 * contract 4.1. Written as a comparison with a number, which the planner assumes to be rare.
 */
export function isOdd(path: Path): Fragment {
  return sql`${oddness(path)} = 1`
}

/** Missing values are regular. */
export function isRegular(path: Path): Fragment {
  return sql`${oddness(path)} <> 1`
}

function oddness(path: Path): Fragment {
  return sql`(case when ${isOutOfOrder(path)} then 1 else 0 end)`
}

function isOutOfOrder(path: Path): Fragment {
  return sql`octet_length(${fieldText(path)}) > 600 or ${fieldText(path)} = '[]'`
}

/** Hashes the value for an index. The hash is short and fast to compare, so the index is built in half the time. */
export function hashed(value: Fragment): Fragment {
  return sql`jsonb_hash_extended(${value}, 0)`
}

/**
 * Like `isOdd`, for an index over fields that equal something and then the sort field, if that is in the data. Arrays
 * are excluded too, because an array equals whatever any of its items equals. An object equals nothing.
 */
export function isOddAmong(equal: readonly Path[], sort: Path | undefined): Fragment {
  return sql`${oddnessAmong(equal, sort)} = 1`
}

export function isRegularAmong(equal: readonly Path[], sort: Path | undefined): Fragment {
  return sql`${oddnessAmong(equal, sort)} <> 1`
}

function oddnessAmong(equal: readonly Path[], sort: Path | undefined): Fragment {
  const conditions = [
    ...equal.map((path) => sql`jsonb_typeof(${fieldValue(path)}) in ('array', 'object')`),
    ...(sort ? [isOutOfOrder(sort)] : []),
  ]
  return sql`(case when ${joinSql(conditions, ' or ')} then 1 else 0 end)`
}

/** The point in time of the field's text, null if it is not one. */
export function fieldInstant(path: Path): Fragment {
  return sql`(case when jsonb_typeof(${fieldValue(path)}) = 'string' then svc.instant(${fieldText(path)}) end)`
}

/** Lower-cases each code point separately, whatever the database's language. */
export function lowerCased(text: Fragment): Fragment {
  return sql`lower(${text} collate "pg_c_utf8")`
}

export const ownTimes = {
  createdAt: sql`d.created_at`,
  updatedAt: sql`d.updated_at`,
} as const satisfies Partial<Record<OwnField, Fragment>>

export function inCollection(collection: string): Fragment {
  return sql`d.collection_id = ${collection}::uuid`
}
