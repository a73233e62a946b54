/**
 * Compiles the filters of subscriptions. Each text is lower-cased once for all subscriptions, and searched once for all
 * parts of a filter, so that the cost grows with the document, not with the number of tests. Contract 10.11.
 */
import type { Json } from '../../../client/protocol/model/json.js'
import {
  type Condition,
  compilePredicate,
  lowerCase,
  type Matchable,
  type Predicate,
  toItemSet,
} from '../../../client/protocol/model/matching.js'
import type { Where } from '../../../client/protocol/model/where.js'
import { searchFor } from './text-search.js'

export function compileFilter(where: Where): Predicate {
  const exact = openSearch((text) => text)
  const anyCase = openSearch(loweredIn)
  return compilePredicate(where, {
    contains: exact.add,
    icontains: (part) => anyCase.add(lowerCase(part)),
    clear() {
      exact.clear()
      anyCase.clear()
    },
  })
}

/** Collects the parts that all `contains` tests of one filter look for. */
interface Search {
  /** Returns a condition that holds if a text, or a text in an array, contains the part. */
  readonly add: (part: string) => Condition
  /** Drops the results for the previous document. */
  clear(): void
}

function openSearch(fold: (text: string, document: Matchable) => string): Search {
  const parts: string[] = []
  const known = new Map<Json, ReadonlySet<number>>()
  let search: ((text: string) => ReadonlySet<number>) | undefined

  function foundIn(value: Json | undefined, document: Matchable): ReadonlySet<number> {
    if (typeof value !== 'string' && !Array.isArray(value)) return none
    const found = known.get(value) ?? (typeof value === 'string' ? look(value, document) : lookInto(value, document))
    known.set(value, found)
    return found
  }

  function look(text: string, document: Matchable): ReadonlySet<number> {
    search ??= searchFor(parts)
    return search(fold(text, document))
  }

  function lookInto(array: readonly Json[], document: Matchable): ReadonlySet<number> {
    const all = new Set<number>()
    for (const item of toItemSet(array)) {
      if (typeof item !== 'string') continue
      for (const part of foundIn(item, document)) all.add(part)
      if (all.size === parts.length) break
    }
    return all
  }

  return {
    add(part) {
      const at = parts.push(part) - 1
      return (value, document) => foundIn(value, document).has(at)
    },
    clear: () => known.clear(),
  }
}

const none: ReadonlySet<number> = new Set()

/** Shared by all filters, so that each text is lower-cased once. */
const lowered = new WeakMap<Matchable, Map<string, string>>()

function loweredIn(text: string, document: Matchable): string {
  const known = lowered.get(document) ?? new Map<string, string>()
  lowered.set(document, known)
  const lower = known.get(text) ?? lowerCase(text)
  known.set(text, lower)
  return lower
}
