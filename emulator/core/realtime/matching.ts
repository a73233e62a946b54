/**
 * Decides whether a document matches a filter. `store/lists/where.ts` does the same in SQL, and
 * test/emulator/store/where-parity.test.ts keeps the two in step. The cost grows with the document, not with the number of
 * tests. Each text is lower-cased once for all subscriptions, and searched once for all parts of a filter.
 */
import type { Document } from '../../../client/protocol/model/document.js'
import { parseInstant } from '../../../client/protocol/model/instant.js'
import type { Json } from '../../../client/protocol/model/json.js'
import { valueAt } from '../../../client/protocol/model/path.js'
import {
  canHold,
  type Operator,
  type OwnField,
  ownField,
  type PlainTest,
  parseMeanings,
  parseNumber,
  type Test,
  type Where,
} from '../../../client/protocol/model/where.js'
import { searchFor } from './text-search.js'

/** The parts of a document that a filter tests. */
export type Matchable = Pick<Document, OwnField | 'data'>

export function matches(where: Where, document: Matchable): boolean {
  return compilePredicate(where)(document)
}

/** Compiles a filter, so that work that depends only on the filter is done once for many documents. */
export function compilePredicate(where: Where): (document: Matchable) => boolean {
  const searches = { exact: openSearch((text) => text), anyCase: openSearch(loweredIn) }
  const clauses = where.all.map(({ any }) => any.map((test) => compileFieldTest(test, searches)))
  return (document) => {
    const holds = clauses.every((tests) => tests.some((isMet) => isMet(document)))
    for (const search of Object.values(searches)) search.clear()
    return holds
  }
}

type Condition = (value: Json | undefined, document: Matchable) => boolean

interface Searches {
  readonly exact: Search
  readonly anyCase: Search
}

function compileFieldTest(test: Test, searches: Searches): (document: Matchable) => boolean {
  const { path } = test
  if (test.operator === 'not') {
    const holds = compileFieldTest(test.test, searches)
    return (document) => !holds(document)
  }
  const holds = test.isTime ? compileTimeCondition(test) : compileCondition(test, searches)
  const own = ownField(path)
  return own
    ? (document) => holds(document[own], document)
    : (document) => holds(valueAt(document.data, path), document)
}

function compileCondition(test: PlainTest, { exact, anyCase }: Searches): Condition {
  if ('value' in test && !canHold(test.value)) return () => test.operator === 'ne'
  switch (test.operator) {
    case 'eq':
      return equals([test.value])
    case 'ne':
      return not(equals([test.value]))
    case 'in':
      return equals(test.values)
    case 'notin':
      return not(equals(test.values))
    case 'isnull':
      return (value) => (value === undefined || value === null) === test.isNull
    case 'exists':
      return (value) => (value !== undefined) === test.exists
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return compares(test.value, orders[test.operator])
    case 'contains':
      return exact.add(test.value)
    case 'icontains':
      return anyCase.add(lowerCase(test.value))
    case 'startswith':
      return readText(test, (text, part) => text.startsWith(part))
    case 'endswith':
      return readText(test, (text, part) => text.endsWith(part))
  }
}

/** Compares a text with the test's own, both in lower case if the test ignores case. */
function readText(
  { value: part, ignoresCase }: Extract<PlainTest, { readonly ignoresCase?: true }>,
  isMet: (text: string, part: string) => boolean,
): Condition {
  const fold = ignoresCase ? lowerCase : (text: string) => text
  const folded = fold(part)
  return (value) => typeof value === 'string' && isMet(fold(value), folded)
}

/** Compares points in time, as texts that `parseInstant` makes sortable. */
function compileTimeCondition(test: PlainTest): Condition {
  if (test.operator === 'isnull' || test.operator === 'exists') return () => false
  const texts = 'values' in test ? test.values : [test.value]
  const instants = texts.map(parseInstant)
  const [wanted] = instants
  const isAmong: Condition = (value) =>
    value === null ? texts.includes('null') : typeof value === 'string' && isIn(instants, parseInstant(value))
  if (test.operator === 'eq' || test.operator === 'in') return isAmong
  if (test.operator === 'ne' || test.operator === 'notin') return not(isAmong)
  const isWanted = isOrder(test.operator) ? orders[test.operator] : () => false
  return (value) => {
    const instant = typeof value === 'string' ? parseInstant(value) : undefined
    if (instant === undefined || wanted === undefined) return false
    return isWanted(Number(instant > wanted) - Number(instant < wanted))
  }
}

function isIn(instants: readonly (string | undefined)[], instant: string | undefined): boolean {
  return instant !== undefined && instants.includes(instant)
}

const orders = {
  gt: (order) => order > 0,
  gte: (order) => order >= 0,
  lt: (order) => order < 0,
  lte: (order) => order <= 0,
} as const satisfies { readonly [Name in Operator]?: (order: number) => boolean }

function isOrder(operator: Operator): operator is keyof typeof orders {
  return operator in orders
}

function not(condition: Condition): Condition {
  return (value, document) => !condition(value, document)
}

/** An array matches if one of its items does. */
function equals(texts: readonly string[]): Condition {
  const meanings = new Set<Json | undefined>(texts.flatMap(parseMeanings))
  return (value) => {
    if (!Array.isArray(value)) return meanings.has(value)
    const items = toItemSet(value)
    for (const meaning of meanings) if (items.has(meaning)) return true
    return false
  }
}

function compares(text: string, isWanted: (order: number) => boolean): Condition {
  const number = parseNumber(text)
  return (value) => {
    if (typeof value === 'string') return isWanted(orderOfTexts(value, text))
    return typeof value === 'number' && number !== undefined && isWanted(value - number)
  }
}

/** Collects the parts that all `contains` tests of one filter look for. */
interface Search {
  /** Returns a condition that holds if a text, or a text in an array, contains the part. */
  add(part: string): Condition
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

// Shared by all filters, so that each value is prepared once.
const lowered = new WeakMap<Matchable, Map<string, string>>()
const items = new WeakMap<readonly Json[], ReadonlySet<Json | undefined>>()

function loweredIn(text: string, document: Matchable): string {
  const known = lowered.get(document) ?? new Map<string, string>()
  lowered.set(document, known)
  const lower = known.get(text) ?? lowerCase(text)
  known.set(text, lower)
  return lower
}

function toItemSet(array: readonly Json[]): ReadonlySet<Json | undefined> {
  const known = items.get(array) ?? new Set(array)
  items.set(array, known)
  return known
}

/** Compares by code point, because `<` compares UTF-16 code units. */
function orderOfTexts(one: string, other: string): number {
  const length = Math.min(one.length, other.length)
  for (let at = 0; at < length; at++) {
    const [a, b] = [one.charCodeAt(at), other.charCodeAt(at)]
    if (a !== b) return Number(isSurrogate(a)) - Number(isSurrogate(b)) || a - b
  }
  return one.length - other.length
}

/** Whether a code unit is half of a code point above U+FFFF. */
function isSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdfff
}

/** Lower-cases each code point separately, like `pg_c_utf8`: no final sigma, and `İ` becomes one letter. */
export function lowerCase(text: string): string {
  return text.replaceAll('Σ', 'σ').replaceAll('İ', 'i').toLowerCase()
}
