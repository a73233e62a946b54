/** The `filters` axis: which suffixes a query parameter's name may end in. Spec, "List query parameters". */
import { SvcError } from '../../model/errors.js'
import type { Operator } from '../../model/where.js'
import type { suffixEncoders } from './encode.js'
import { doubled, type NamedTest, singleSuffix } from './suffixes.js'

interface SuffixFamily {
  /** For people: how a filter is spelled. */
  readonly example: string
  decode(name: string): NamedTest
}

export const filterSuffixes = {
  double: {
    example: 'views__gte=100',
    decode: (name) => readDoubled(name) ?? { field: name, operator: 'eq' },
  },
  single: {
    example: 'views_gte=100',
    decode: (name) => readSingle(name) ?? { field: name, operator: 'eq' },
  },
  both: {
    example: 'views__gte=100 or views_gte=100',
    decode: (name) => readDoubled(name) ?? readSingle(name) ?? { field: name, operator: 'eq' },
  },
} as const satisfies Record<keyof typeof suffixEncoders, SuffixFamily>

function readSingle(name: string): NamedTest | undefined {
  const operator = singleSuffix(name)
  return operator && { field: name.slice(0, -operator.length - 1), operator }
}

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
