/** Limits the size of filters in queries and subscriptions. Contract 10.11. */
import { SvcError } from '../../model/errors.js'
import type { JsonObject } from '../../model/json.js'
import { sizes } from '../../model/limits.js'
import { operatorKinds } from '../../model/operator-kinds.js'
import type { Operator } from '../../model/where.js'

/** Counts the tests and fields read so far. */
export interface TestCount {
  tests: number
}

/** Counts each field of `__or__` times each value of a list as one test. */
export function requireCountable(count: TestCount, more: number): void {
  count.tests += more
  if (count.tests <= sizes.maxFilterTests) return
  const counted = 'each field of "__or__" and each value of a list counted'
  throw new SvcError('INVALID_FILTER', `A filter can have at most ${sizes.maxFilterTests} tests, ${counted}.`)
}

/** Limits search text, because substring search is expensive. */
export function requireSearchable(name: string, operator: Operator, text: string): void {
  const most = sizes.maxSearchCharacters
  if (operatorKinds[operator] !== 'search' || text.length <= most || [...text].length <= most) return
  throw new SvcError('INVALID_FILTER', `The text of "${name.slice(0, 80)}" is too long (max ${most} characters).`)
}

/** Limits filters in JSON to the length of a query. Contract 10.7. */
export function requireShort(filters: JsonObject): void {
  const bytes = new TextEncoder().encode(JSON.stringify(filters)).length
  if (bytes <= sizes.maxQueryBytes) return
  throw new SvcError('INVALID_QUERY', `The filters are too long (max ${sizes.maxQueryBytes} bytes).`)
}

/** Refuses characters that documents cannot contain and the database does not accept. */
export function requireSpeakable(text: string): void {
  if (text.includes('\0')) throw new SvcError('INVALID_QUERY', 'The query contains the character U+0000.')
  if (/\p{Surrogate}/u.test(text)) throw new SvcError('INVALID_QUERY', 'The query contains half of a surrogate pair.')
}
