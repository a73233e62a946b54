/** How much a filter may ask, in queries and subscriptions alike. Contract 10.11. */
import { SvcError } from '../../model/errors.js'
import type { JsonObject } from '../../model/json.js'
import { sizes } from '../../model/limits.js'
import type { Operator } from '../../model/where.js'

/** What was read of a filter so far. */
export interface TestCount {
  tests: number
}

const searching: readonly Operator[] = ['contains', 'icontains', 'startswith', 'endswith']

/** Each field of `__or__` with each value of a list is a test of its own. */
export function requireCountable(count: TestCount, more: number): void {
  count.tests += more
  if (count.tests <= sizes.mostFilterTests) return
  const counted = 'each field of "__or__" and each value of a list counted'
  throw new SvcError('INVALID_FILTER', `A filter holds at most ${sizes.mostFilterTests} tests, ${counted}.`)
}

/** A long text is looked for at each place of every text, which is dear. */
export function requireSearchable(name: string, operator: Operator, text: string): void {
  const most = sizes.mostSearchCharacters
  if (!searching.includes(operator) || text.length <= most || [...text].length <= most) return
  throw new SvcError('INVALID_FILTER', `The text of "${name.slice(0, 80)}" has over ${most} characters.`)
}

/** Filters as JSON may be as long as those of a query. Contract 10.7. */
export function requireShort(filters: JsonObject): void {
  const bytes = new TextEncoder().encode(JSON.stringify(filters)).length
  if (bytes <= sizes.mostQueryBytes) return
  throw new SvcError('INVALID_QUERY', `The filters are over ${sizes.mostQueryBytes} bytes.`)
}

/** No document holds these characters, and the database takes no text with them. */
export function requireSpeakable(text: string): void {
  if (text.includes('\0')) throw new SvcError('INVALID_QUERY', 'The query holds the character U+0000.')
  if (/\p{Surrogate}/u.test(text)) throw new SvcError('INVALID_QUERY', 'The query holds half of a surrogate pair.')
}
