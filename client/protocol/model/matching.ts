/**
 * Decides whether a document matches a filter. `emulator/store/lists/where.ts` does the same in SQL, and
 * test/emulator/store/where-parity.test.ts compares the two. Realtime, and lists in apps, use this code.
 */
import { compareTexts } from './code-points.js'
import type { Document } from './document.js'
import { parseInstant } from './instant.js'
import type { Json } from './json.js'
import { valueAt } from './path.js'
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
} from './where.js'

/** The parts of a document that a filter tests. */
export type Matchable = Pick<Document, OwnField | 'data'>

export type Predicate = (document: Matchable) => boolean
export type Condition = (value: Json | undefined, document: Matchable) => boolean

/** Compiles the text searches of one filter. The conditions hold for a text, or an array with a text, that contains the part. */
export interface TextSearches {
  contains(part: string): Condition
  icontains(part: string): Condition
  /** Drops what was found in the previous document. */
  clear?(): void
}

/** Tests one document. Use {@link compilePredicate} for several. */
export function matches(where: Where, document: Matchable): boolean {
  return compilePredicate(where)(document)
}

/** Compiles a filter, so that work that depends only on the filter is done once for many documents. */
export function compilePredicate({ all }: Where, searches: TextSearches = plainSearches): Predicate {
  const clauses = all.map(({ any }) => any.map((test) => compileTest(test, searches)))
  return (document) => {
    const holds = clauses.every((tests) => tests.some((isMet) => isMet(document)))
    searches.clear?.()
    return holds
  }
}

function compileTest(test: Test, searches: TextSearches): Predicate {
  const { path } = test
  if (test.operator === 'not') {
    const holds = compileTest(test.test, searches)
    return (document) => !holds(document)
  }
  const holds = test.isTime ? compileTimeCondition(test) : compileCondition(test, searches)
  const own = ownField(path)
  return (document) => holds(own ? document[own] : valueAt(document.data, path), document)
}

function compileCondition(test: PlainTest, searches: TextSearches): Condition {
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
    case 'contains':
    case 'icontains':
      return searches[test.operator](test.value)
    case 'startswith':
      return readText(test, 'startsWith')
    case 'endswith':
      return readText(test, 'endsWith')
    default:
      return compares(test.value, orders[test.operator])
  }
}

/** Compares a text with the test's own, both in lower case if the test ignores case. */
function readText(
  { value: part, ignoresCase }: Extract<PlainTest, { readonly ignoresCase?: true }>,
  method: 'startsWith' | 'endsWith',
): Condition {
  const fold = ignoresCase ? lowerCase : (text: string) => text
  const folded = fold(part)
  return (value) => typeof value === 'string' && fold(value)[method](folded)
}

/** Compares points in time, as texts that `parseInstant` makes sortable. */
function compileTimeCondition(test: PlainTest): Condition {
  if (test.operator === 'isnull' || test.operator === 'exists') return () => false
  const texts = 'values' in test ? test.values : [test.value]
  const instants = texts.map(parseInstant)
  const [wanted] = instants
  const toInstant = (value: Json | undefined) => (typeof value === 'string' ? parseInstant(value) : undefined)
  const isAmong: Condition = (value) => {
    const instant = toInstant(value)
    return value === null ? texts.includes('null') : instant !== undefined && instants.includes(instant)
  }
  if (test.operator === 'eq' || test.operator === 'in') return isAmong
  if (test.operator === 'ne' || test.operator === 'notin') return not(isAmong)
  const isWanted = isOrder(test.operator) ? orders[test.operator] : () => false
  return (value) => {
    const instant = toInstant(value)
    if (instant === undefined || wanted === undefined) return false
    return isWanted(Number(instant > wanted) - Number(instant < wanted))
  }
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
    if (typeof value === 'string') return isWanted(compareTexts(value, text))
    return typeof value === 'number' && number !== undefined && isWanted(value - number)
  }
}

/** Searches for one part at a time, which is fastest for the few that a list has. */
const plainSearches: TextSearches = {
  contains: (part) => someText((text) => text.includes(part)),
  icontains(part) {
    const wanted = lowerCase(part)
    return someText((text) => lowerCase(text).includes(wanted))
  },
}

function someText(holds: (text: string) => boolean): Condition {
  return (value) => [value].flat().some((item) => typeof item === 'string' && holds(item))
}

/** Shared by all filters, so that each array is prepared once. */
const itemSets = new WeakMap<readonly Json[], ReadonlySet<Json | undefined>>()

export function toItemSet(array: readonly Json[]): ReadonlySet<Json | undefined> {
  const known = itemSets.get(array) ?? new Set(array)
  itemSets.set(array, known)
  return known
}

/** Lower-cases each code point separately, like `pg_c_utf8`: no final sigma, and `İ` becomes one letter. */
export function lowerCase(text: string): string {
  return text.replaceAll('Σ', 'σ').replaceAll('İ', 'i').toLowerCase()
}
