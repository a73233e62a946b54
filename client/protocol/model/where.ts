import { SvcError } from './errors.js'
import type { Json } from './json.js'
import type { Path } from './path.js'

/** Filter operators. `contains` is case-sensitive, `icontains` is not. Spec, "List query parameters". */
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
  'exists',
] as const
export type Operator = (typeof operators)[number]

/**
 * One condition on one field. `value` is text from a query; contract 4.2 defines what it equals. `isTime` compares points in
 * time, and is set only by the service.
 */
export type PlainTest =
  | {
      readonly path: Path
      readonly operator: Exclude<Operator, 'in' | 'notin' | 'isnull' | 'exists'>
      readonly value: string
      readonly isTime?: true
      /** Set for `startswith` and `endswith` in dialects where they ignore case. */
      readonly ignoresCase?: true
    }
  | {
      readonly path: Path
      readonly operator: 'in' | 'notin'
      readonly values: readonly string[]
      readonly isTime?: true
    }
  | { readonly path: Path; readonly operator: 'isnull'; readonly isNull: boolean; readonly isTime?: never }
  | { readonly path: Path; readonly operator: 'exists'; readonly exists: boolean; readonly isTime?: never }

/** Holds exactly if its test does not hold, whatever the type of the field. Contract 13.6. */
export interface Negation {
  readonly path: Path
  readonly operator: 'not'
  readonly test: PlainTest
}

export type Test = PlainTest | Negation

/** Requires every clause to hold. A clause holds if any of its tests holds. */
export interface Where {
  readonly all: readonly Clause[]
}
export interface Clause {
  readonly any: readonly Test[]
}

export function negate(test: Test): Test {
  return test.operator === 'not' ? test.test : { path: test.path, operator: 'not', test }
}

/** Returns the test without its negation. */
export function withoutNot(test: Test): PlainTest {
  return test.operator === 'not' ? test.test : test
}

/** Returns the clauses that hold exactly if one of these does not. */
export function negateAll(clauses: readonly Clause[]): Clause[] {
  return anyOf(clauses.map(({ any }) => any.map((test) => ({ any: [negate(test)] }))))
}

/** The most clauses that alternatives may expand to. */
const maxClauses = 200

/**
 * Returns the clauses that hold if all clauses of one alternative do: "(a and b) or c" becomes "(a or c) and (b or c)".
 *
 * @throws {SvcError} `INVALID_FILTER` for over 200 clauses
 */
export function anyOf(alternatives: readonly (readonly Clause[])[]): Clause[] {
  let clauses: Clause[] = [{ any: [] }]
  for (const alternative of alternatives) {
    clauses = clauses.flatMap(({ any }) => alternative.map((clause) => ({ any: [...any, ...clause.any] })))
    if (clauses.length > maxClauses) throw new SvcError('INVALID_FILTER', 'This "or" is too large.')
  }
  return clauses
}

/** Fields set by the service. They take precedence over data fields of the same names. Contract 4.2. */
const ownFields = ['id', 'createdAt', 'updatedAt'] as const
export type OwnField = (typeof ownFields)[number]

/** Normalizes a path: the times set by the service have two names. Contract 1. */
export function ownName(path: Path): Path {
  if (path.length > 1) return path
  if (path[0] === 'created_at') return ['createdAt']
  return path[0] === 'updated_at' ? ['updatedAt'] : path
}

export function ownField(path: Path): OwnField | undefined {
  return path.length === 1 ? ownFields.find((name) => name === path[0]) : undefined
}

/** Returns the JSON values that text in a query equals: the string, and the number, boolean or null it spells. */
export function parseMeanings(text: string): readonly Json[] {
  const number = parseNumber(text)
  if (number !== undefined) return [text, number]
  return Object.hasOwn(words, text) ? [text, words[text] ?? null] : [text]
}

/** Parses a number in JSON syntax, if a double can hold it. */
export function parseNumber(text: string): number | undefined {
  if (!/^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(text)) return undefined
  const number = Number(text)
  return Number.isFinite(number) ? number : undefined
}

/** Tells whether documents can contain this text. Other text equals nothing and does not sort. Contract 2.4. */
export function canHold(text: string): boolean {
  return !text.includes('\0') && !/\p{Surrogate}/u.test(text)
}

const words: Readonly<Record<string, Json>> = { true: true, false: false, null: null }
