import type { Document } from './document.js'
import type { Json } from './json.js'
import { type Path, valueAt } from './path.js'

/** What a test may ask of a field. `contains` minds case, `icontains` does not. Spec, "List query parameters". */
export const operators = [
  'eq',
  'ne',
  'gt',
  'gte',
  'lt',
  'lte',
  'contains',
  'icontains',
  'startswith',
  'endswith',
  'in',
  'notin',
  'isnull',
] as const
export type Operator = (typeof operators)[number]

/** One question about one field. `value` is text as a query says it; what it equals is in contract 4.2. */
export type Test =
  | { readonly path: Path; readonly operator: Exclude<Operator, 'in' | 'notin' | 'isnull'>; readonly value: string }
  | { readonly path: Path; readonly operator: 'in' | 'notin'; readonly values: readonly string[] }
  | { readonly path: Path; readonly operator: 'isnull'; readonly isNull: boolean }

/** Every clause must hold; a clause holds when any of its tests does. */
export interface Where {
  readonly all: readonly Clause[]
}
export interface Clause {
  readonly any: readonly Test[]
}

/** The service's own fields. They win over fields of these names in a document's data. Contract 4.2. */
const ownFields = ['id', 'createdAt', 'updatedAt'] as const
export type OwnField = (typeof ownFields)[number]

export function ownField(path: Path): OwnField | undefined {
  return path.length === 1 ? ownFields.find((name) => name === path[0]) : undefined
}

/** Whether a document is among those that `where` asks for. `emulator/store/where-sql.ts` says the same in SQL. */
export function matches(where: Where, document: Matchable): boolean {
  return predicateOf(where)(document)
}

/** The same for many documents: what can be worked out of the filter alone is worked out once. */
export function predicateOf(where: Where): (document: Matchable) => boolean {
  const clauses = where.all.map(({ any }) => any.map(fieldTestOf))
  return (document) => clauses.every((tests) => tests.some((holds) => holds(document)))
}

/** What of a document a filter looks at. */
export type Matchable = Pick<Document, OwnField | 'data'>

/** The JSON values that a query's text equals: the string, and the number, boolean or null that it spells. */
export function meaningsOf(text: string): readonly Json[] {
  const number = numberOf(text)
  if (number !== undefined) return [text, number]
  return Object.hasOwn(words, text) ? [text, words[text] ?? null] : [text]
}

/** The number that a query's text spells in JSON's grammar, if a double can hold it. */
export function numberOf(text: string): number | undefined {
  if (!/^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(text)) return undefined
  const number = Number(text)
  return Number.isFinite(number) ? number : undefined
}

/** Whether a document can hold this text at all; what it cannot hold equals nothing and has no place in an order. Contract 2.4. */
export function canHold(text: string): boolean {
  return !text.includes('\0') && !/\p{Surrogate}/u.test(text)
}

const words: Readonly<Record<string, Json>> = { true: true, false: false, null: null }

type Condition = (value: Json | undefined) => boolean

function fieldTestOf(test: Test): (document: Matchable) => boolean {
  const { path } = test
  const holds = conditionOf(test)
  const own = ownField(path)
  return own ? (document) => holds(document[own]) : ({ data }) => holds(valueAt(data, path))
}

function conditionOf(test: Test): Condition {
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
    case 'gt':
      return compares(test.value, (order) => order > 0)
    case 'gte':
      return compares(test.value, (order) => order >= 0)
    case 'lt':
      return compares(test.value, (order) => order < 0)
    case 'lte':
      return compares(test.value, (order) => order <= 0)
    case 'contains':
      return someText((text) => text.includes(test.value))
    case 'icontains': {
      const part = lowerCase(test.value)
      return someText((text) => lowerCase(text).includes(part))
    }
    case 'startswith':
      return (value) => typeof value === 'string' && value.startsWith(test.value)
    case 'endswith':
      return (value) => typeof value === 'string' && value.endsWith(test.value)
  }
}

function not(condition: Condition): Condition {
  return (value) => !condition(value)
}

function equals(texts: readonly string[]): Condition {
  const meanings = new Set<Json | undefined>(texts.flatMap(meaningsOf))
  return someItem((item) => meanings.has(item))
}

function compares(text: string, isWanted: (order: number) => boolean): Condition {
  const number = numberOf(text)
  return (value) => {
    if (typeof value === 'string') return isWanted(orderOfTexts(value, text))
    return typeof value === 'number' && number !== undefined && isWanted(value - number)
  }
}

function someText(isWanted: (text: string) => boolean): Condition {
  return someItem((item) => typeof item === 'string' && isWanted(item))
}

/** An array holds when one of its items does. */
function someItem(isWanted: Condition): Condition {
  return (value) => (Array.isArray(value) ? value.some((item: Json) => isWanted(item)) : isWanted(value))
}

/** By code point, which is not how `<` compares strings: it goes by UTF-16 units. */
function orderOfTexts(one: string, other: string): number {
  const length = Math.min(one.length, other.length)
  for (let at = 0; at < length; at++) {
    const [a, b] = [one.charCodeAt(at), other.charCodeAt(at)]
    if (a !== b) return Number(isSurrogate(a)) - Number(isSurrogate(b)) || a - b
  }
  return one.length - other.length
}

/** A half of a code point above U+FFFF. */
function isSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdfff
}

/** Each code point by itself, as `pg_c_utf8` does it: no final sigma, and `İ` becomes one letter. */
export function lowerCase(text: string): string {
  let lower = ''
  for (const character of text) lower += String.fromCodePoint(character.toLowerCase().codePointAt(0) ?? 0)
  return lower
}
