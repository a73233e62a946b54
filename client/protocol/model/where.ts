import type { Json } from './json.js'
import type { Path } from './path.js'

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

/**
 * One question about one field. `value` is text as a query says it; what it equals is in contract 4.2. With `isTime`, field and value are
 * compared as points in time; only the service sets it.
 */
export type Test =
  | {
      readonly path: Path
      readonly operator: Exclude<Operator, 'in' | 'notin' | 'isnull'>
      readonly value: string
      readonly isTime?: true
    }
  | {
      readonly path: Path
      readonly operator: 'in' | 'notin'
      readonly values: readonly string[]
      readonly isTime?: true
    }
  | { readonly path: Path; readonly operator: 'isnull'; readonly isNull: boolean; readonly isTime?: never }

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

/** The path of a field in a record: the service's own times answer to both of their names. Contract 1. */
export function ownName(path: Path): Path {
  if (path.length > 1) return path
  if (path[0] === 'created_at') return ['createdAt']
  return path[0] === 'updated_at' ? ['updatedAt'] : path
}

export function ownField(path: Path): OwnField | undefined {
  return path.length === 1 ? ownFields.find((name) => name === path[0]) : undefined
}

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
