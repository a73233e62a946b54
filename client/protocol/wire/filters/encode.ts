/** The `filters` axis: which suffixes a query parameter's name may end in. Spec, "List query parameters". */
import { SvcError } from '../../model/errors.js'
import type { Operator } from '../../model/where.js'
import type { Form } from '../dialects.js'

/** A parameter's name, taken apart. */
export interface NamedTest {
  readonly field: string
  readonly operator: Operator
}

interface SuffixFamily {
  /** For people: how a filter is spelled. */
  readonly example: string
  read(name: string): NamedTest
  /** The parameter's name; nothing if this family cannot say it. */
  write(field: string, operator: Operator): string | undefined
}

const common = ['ne', 'gt', 'gte', 'lt', 'lte', 'in', 'isnull'] as const
/** Here `contains` ignores case, and there is no other. */
const doubled: readonly string[] = [...common, 'contains', 'startswith', 'endswith', 'notin'] satisfies Operator[]
const single: readonly string[] = [...common, 'eq', 'contains', 'icontains'] satisfies Operator[]

export const suffixWriters = {
  double: writeDoubled,
  single: writeSingle,
  both: writeBoth,
} as const satisfies Record<Form<'filters'>, SuffixFamily['write']>

export const filterSuffixes = {
  double: {
    example: 'views__gte=100',
    read: (name) => readDoubled(name) ?? { field: name, operator: 'eq' },
    write: writeDoubled,
  },
  single: {
    example: 'views_gte=100',
    read: (name) => readSingle(name) ?? { field: name, operator: 'eq' },
    write: writeSingle,
  },
  both: {
    example: 'views__gte=100 or views_gte=100',
    read: (name) => readDoubled(name) ?? readSingle(name) ?? { field: name, operator: 'eq' },
    write: writeBoth,
  },
} as const satisfies Record<string, SuffixFamily>

/** What follows the last `__` is a suffix if it begins as a word does, so that `__proto__` is a field. */
function readDoubled(name: string): NamedTest | undefined {
  const at = name.lastIndexOf('__')
  const suffix = at === -1 ? '' : name.slice(at + 2)
  if (!/^[A-Za-z]/.test(suffix)) return undefined
  const field = name.slice(0, at)
  if (doubled.includes(suffix) && field !== '') {
    return { field, operator: suffix === 'contains' ? 'icontains' : (suffix as Operator) }
  }
  const known = doubled.map((word) => `__${word}`)
  throw new SvcError('INVALID_FILTER', `Unknown filter suffix "__${suffix}" on "${field}". Known: ${known.join(', ')}.`)
}

/** A single underscore is a suffix's only if no other stands before it and the word is known. */
function readSingle(name: string): NamedTest | undefined {
  const [, field = '', suffix = ''] = /^(.*[^_])_([a-z]+)$/s.exec(name) ?? []
  return single.includes(suffix) ? { field, operator: suffix as Operator } : undefined
}

function writeDoubled(field: string, operator: Operator): string | undefined {
  const suffix = operator === 'icontains' ? 'contains' : operator
  if (operator === 'eq') return /__[A-Za-z](?!.*__)/s.test(field) ? undefined : field
  return doubled.includes(suffix) ? `${field}__${suffix}` : undefined
}

/** Equality is always written out, since `checked_in` alone would ask whether `checked` is in a list. */
function writeSingle(field: string, operator: Operator): string | undefined {
  return single.includes(operator) && !field.endsWith('_') ? `${field}_${operator}` : undefined
}

/** Doubled, unless only the other family says it, or it is a bare name that ends as a single suffix does. */
function writeBoth(field: string, operator: Operator): string | undefined {
  const name = operator === 'contains' ? undefined : writeDoubled(field, operator)
  return name && !readSingle(name) ? name : writeSingle(field, operator)
}
