/** Suffixes of both families. Spec, "List query parameters". */
import type { Operator } from '../../model/where.js'

/** Operators with a suffix. `exists` has a prefix instead. */
export type SuffixOperator = Exclude<Operator, 'exists'>

/** Parts of a parameter name. */
export interface NamedTest {
  readonly field: string
  readonly operator: SuffixOperator
  /** Set for `startswith` and `endswith` in forms where they ignore case. */
  readonly ignoresCase?: true
}

const common = ['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'in', 'isnull', 'contains'] as const
/** Here `contains` ignores case. */
export const doubled: readonly string[] = [...common, 'startswith', 'endswith', 'notin'] satisfies SuffixOperator[]
export const single: readonly SuffixOperator[] = [...common, 'icontains']

/** Suffixes of the form `any`, after one underscore or two. */
export const every: readonly SuffixOperator[] = [...single, 'startswith', 'endswith', 'notin']

/** Finds a known suffix after a single underscore. */
export function singleSuffix(name: string, known = single): SuffixOperator | undefined {
  return known.find((word) => word === /[^_]_([a-z]+)$/.exec(name)?.[1])
}
