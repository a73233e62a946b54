/**
 * Plans lists whose fields equal something: an index over these fields and then the sort field contains their pages.
 */
import type { Json } from '../../../client/protocol/model/json.js'
import { isIndexSegment, type Path } from '../../../client/protocol/model/path.js'
import { canHold, ownField, parseMeanings, type Test, type Where } from '../../../client/protocol/model/where.js'
import { type Fragment, joinSql, sql } from '../../database/port.js'
import { fieldValue, hashed, isOddAmong, isRegularAmong } from './fields.js'

/** Each clause is a field and the text it equals, in an order that does not depend on the filter's. */
export type Equality = readonly { readonly path: Path; readonly text: string }[]

/** An index over more fields would serve few lists. */
const maxFields = 2

/** Returns the filter as equality clauses, if it consists of nothing else and an index can cover its fields. */
export function parseEquality({ all }: Where): Equality | undefined {
  if (all.length === 0 || all.length > maxFields) return undefined
  const pairs = all.flatMap(({ any: [test, another] }) => (test && !another && canBeCompared(test) ? [test] : []))
  const sorted = pairs
    .map(({ path, value }) => ({ path, text: value, name: JSON.stringify(path) }))
    .sort((one, other) => (one.name < other.name ? -1 : 1))
  const areDistinct = new Set(sorted.map(({ name }) => name)).size === all.length
  return areDistinct ? sorted.map(({ path, text }) => ({ path, text })) : undefined
}

function canBeCompared(test: Test): test is Extract<Test, { operator: 'eq' }> & { operator: 'eq' } {
  const { path, operator } = test
  return (
    operator === 'eq' &&
    !test.isTime &&
    !ownField(path) &&
    path.every(canHold) &&
    !path.some(isIndexSegment) &&
    canHold(test.value)
  )
}

/**
 * Splits the filter into disjoint conditions. Each of the first reads one range of the index, in order. A text such as
 * 5 equals a string or a number, so it has two. The last is the filter over the documents that are not in the index.
 */
export function splitEquality(
  equality: Equality,
  sort: Path | undefined,
  filter: Fragment,
): { readonly inOrder: readonly Fragment[]; readonly odd: Fragment } {
  const equal = equality.map(({ path }) => path)
  const combinations = equality.reduce<readonly Fragment[][]>(
    (before, { path, text }) =>
      parseMeanings(text).flatMap((value) => before.map((conditions) => [...conditions, isExactlyValue(path, value)])),
    [[]],
  )
  return {
    inOrder: combinations.map((conditions) => joinSql([...conditions, isRegularAmong(equal, sort)], ' and ')),
    odd: sql`${filter} and ${isOddAmong(equal, sort)}`,
  }
}

/** Different values may have the same hash. */
function isExactlyValue(path: Path, value: Json): Fragment {
  const json = sql`${JSON.stringify(value)}::jsonb`
  return sql`${hashed(fieldValue(path))} = ${hashed(json)} and ${fieldValue(path)} = ${json}`
}
