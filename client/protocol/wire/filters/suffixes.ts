/** The suffixes of both families. Spec, "List query parameters". */
import type { Operator } from '../../model/where.js'

/** A parameter's name, taken apart. */
export interface NamedTest {
  readonly field: string
  readonly operator: Operator
}

const common = ['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'in', 'isnull', 'contains'] as const
/** Here `contains` ignores case, and there is no other. */
export const doubled: readonly string[] = [...common, 'startswith', 'endswith', 'notin'] satisfies Operator[]
export const single: readonly Operator[] = [...common, 'icontains']

/** A single underscore is a suffix's only if no other stands before it and the word is known. */
export function singleSuffix(name: string): Operator | undefined {
  return single.find((word) => word === /[^_]_([a-z]+)$/.exec(name)?.[1])
}
