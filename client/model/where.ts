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

export const everything: Where = { all: [] }
