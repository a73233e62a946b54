/** Prefixes of filters: `[or]`, `[or:<group>]`, `[not]`, `[not:<group>]` and `[exists]`. Contract 4.5 and 13.6. */
import { SvcError } from '../../model/errors.js'
import { anyOf, type Clause, negateAll } from '../../model/where.js'

const form = /^\[(or(?::[^\]]*)?|not(?::[^\]]*)?|exists)\]/

/** Parts of a filter's name. */
export interface Prefixed {
  /** The name without prefixes. */
  readonly name: string
  /** Group that the filter belongs to, with its kind: `or:price`, `not:price`. */
  readonly group: string | undefined
  readonly isNegated: boolean
  /** Whether the filter asks if the field exists. */
  readonly isExistence: boolean
}

/** Reads prefixes in any order. @throws {SvcError} `INVALID_FILTER` for one that is given twice, or two groups */
export function readPrefixes(given: string): Prefixed {
  let name = given
  const groups: string[] = []
  const marks: string[] = []
  for (let [prefix, mark] = form.exec(name) ?? []; mark !== undefined; [prefix, mark] = form.exec(name) ?? []) {
    name = name.slice(prefix?.length)
    if (mark === 'or') groups.push('or:')
    else if (mark.includes(':')) groups.push(mark)
    else marks.push(mark)
  }
  const [group] = groups
  if (groups.length > 1) throw new SvcError('INVALID_FILTER', 'A filter can belong to one group only.')
  if (new Set(marks).size < marks.length) throw new SvcError('INVALID_FILTER', 'A prefix of a filter is given twice.')
  return { name, group, isNegated: marks.includes('not'), isExistence: marks.includes('exists') }
}

/** Combines the filters of one group: an `or` needs one of them, a `not` excludes what matches all of them. */
export function joinGroup(group: string, filters: readonly (readonly Clause[])[]): Clause[] {
  return group.startsWith('or:') ? anyOf(filters) : negateAll(filters.flat())
}
