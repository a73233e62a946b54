/** Sorts the filter operators by what they do with a value, for code that treats several of them alike. */
import { type Operator, operators } from './where.js'

type OperatorKind = 'equality' | 'inequality' | 'order' | 'search' | 'presence'

export const operatorKinds = {
  eq: 'equality',
  ne: 'inequality',
  gt: 'order',
  gte: 'order',
  lt: 'order',
  lte: 'order',
  contains: 'search',
  icontains: 'search',
  startswith: 'search',
  endswith: 'search',
  in: 'equality',
  notin: 'inequality',
  isnull: 'presence',
  exists: 'presence',
} as const satisfies { readonly [Name in Operator]: OperatorKind }

/** The operators that help texts list. `eq` needs no name, and `exists` is a prefix. */
export const namedOperators = operators.filter((operator) => operator !== 'eq' && operator !== 'exists')

/** The operators of these kinds. */
export type OperatorOf<Kind extends OperatorKind> = {
  [Name in Operator]: (typeof operatorKinds)[Name] extends Kind ? Name : never
}[Operator]
