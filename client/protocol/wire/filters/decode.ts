/** The `filters` axis: which suffixes a query parameter's name may end in. Spec, "List query parameters". */
import { SvcError } from '../../model/errors.js'
import type { Operator } from '../../model/where.js'
import type { suffixEncoders } from './encode.js'
import { doubled, type NamedTest, singleSuffix } from './suffixes.js'

interface SuffixFamily {
  /** For people: how a filter is spelled. */
  readonly example: string
  decode(name: string): NamedTest
  /** @throws {SvcError} for a field of `__or__` that ends in a suffix of its own: it stands behind the last one only */
  requireBare(field: string): void
}

export const filterSuffixes = {
  double: {
    example: 'views__gte=100',
    decode: (name) => readDoubled(name) ?? { field: name, operator: 'eq' },
    requireBare: requireNoDoubled,
  },
  single: {
    example: 'views_gte=100',
    decode: (name) => readSingle(name) ?? { field: name, operator: 'eq' },
    // Fields may be called `checked_in`.
    requireBare: () => undefined,
  },
  both: {
    example: 'views__gte=100 or views_gte=100',
    decode: (name) => readDoubled(name) ?? readSingle(name) ?? { field: name, operator: 'eq' },
    requireBare: requireNoDoubled,
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

function requireNoDoubled(name: string): void {
  const found = readDoubled(name)
  if (!found) return
  const suffix = name.slice(found.field.length)
  const message = `"${suffix}" on "${found.field}" stands once, behind the last field of "__or__": it applies to all of them.`
  throw new SvcError('INVALID_FILTER', message)
}
