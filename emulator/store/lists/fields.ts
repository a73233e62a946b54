/** A field of a document in SQL, in the words that lists and field indexes share: an index helps only what is worded like it. */
import type { Path } from '../../../client/protocol/model/path.js'
import type { OwnField } from '../../../client/protocol/model/where.js'
import { type Fragment, joinSql, sql } from '../../database/port.js'

/** The field's value, null where it is missing. */
export function fieldValue(path: Path): Fragment {
  return sql`(d.data #> ${path}::text[])`
}

/**
 * The same in the order of contract 4.1, by code point. Where the database sorts texts so, it is the value, which the planner sees;
 * elsewhere it is a key made of it, since jsonb compares texts by the collation of the database. Compared with nothing else.
 */
export function inOrder(value: Fragment): Fragment {
  return sql`in_order(${value})`
}

/** The field's text: a string itself, everything else as JSON, null where it is missing. */
export function fieldText(path: Path): Fragment {
  return sql`(d.data #>> ${path}::text[])`
}

/**
 * Whether a value may not stand in an index in order. Large ones may not, because PostgreSQL refuses rows whose index
 * entry exceeds 2,700 bytes (jsonb takes up to four times its text); nor may the empty array, which jsonb puts first
 * and contract 4.1 does not. Worded as a comparison with a number, of which the planner assumes that it seldom holds.
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

/**
 * A number for the value, which equal values share. An index has it in place of the value: it is short however long the value is, and
 * compared fast, so that the index is made in half the time.
 */
export function hashed(value: Fragment): Fragment {
  return sql`jsonb_hash_extended(${value}, 0)`
}

/**
 * As `isOdd`, for an index over fields that equal something and then the one that sorts, if a field of the data does. An array
 * equals what any of its items equals, so it stands apart too; an object equals nothing.
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

/** The point in time that the field's text names, null where it names none. */
export function fieldInstant(path: Path): Fragment {
  return sql`(case when jsonb_typeof(${fieldValue(path)}) = 'string' then svc.instant(${fieldText(path)}) end)`
}

/** Without regard to case: each code point for itself, whatever the database's language. */
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
