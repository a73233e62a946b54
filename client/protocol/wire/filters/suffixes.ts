/** The suffixes of both families. Spec, "List query parameters". */
import type { Operator } from '../../model/where.js'

/** A parameter's name, taken apart. */
export interface NamedTest {
  readonly field: string
  readonly operator: Operator
}

const common = ['ne', 'gt', 'gte', 'lt', 'lte', 'in', 'isnull', 'contains'] as const
/** Here `contains` ignores case, and there is no other. */
export const doubled: readonly string[] = [...common, 'eq', 'startswith', 'endswith', 'notin'] satisfies Operator[]
export const single: readonly string[] = [...common, 'eq', 'icontains'] satisfies Operator[]

/** A single underscore is a suffix's only if no other stands before it and the word is known. */
export function readSingle(name: string): NamedTest | undefined {
  const [, field = '', suffix = ''] = /^(.*[^_])_([a-z]+)$/s.exec(name) ?? []
  return single.includes(suffix) ? { field, operator: suffix as Operator } : undefined
}
