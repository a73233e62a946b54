/** The `filters` axis: suffixes of query parameter names. Spec, "List query parameters". */
import { SvcError } from '../../model/errors.js'
import type { suffixEncoders } from './encode.js'
import { doubled, every, type NamedTest, type SuffixOperator, single, singleSuffix } from './suffixes.js'

interface SuffixFamily {
  /** Syntax of a filter, for documentation. */
  readonly example: string
  /** @throws {SvcError} for `__` before a word that is not a suffix */
  decode(name: string): NamedTest
  /** @throws {SvcError} for a field of `__or__` with a suffix, which belongs after the last field only */
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
    // Fields may be named `checked_in`.
    requireBare: () => undefined,
  },
  both: {
    example: 'views__gte=100 or views_gte=100',
    decode: (name) => readDoubled(name) ?? readSingle(name) ?? { field: name, operator: 'eq' },
    requireBare: requireNoDoubled,
  },
  /** Ignores case wherever it searches text. */
  any: {
    example: 'views__gte=100 or views_gte=100',
    decode: (name) => anyCase(readDoubled(name, every) ?? readSingle(name, every) ?? { field: name, operator: 'eq' }),
    requireBare: requireNoDoubled,
  },
} as const satisfies Record<keyof typeof suffixEncoders, SuffixFamily>

function anyCase({ field, operator }: NamedTest): NamedTest {
  if (operator === 'contains') return { field, operator: 'icontains' }
  return operator === 'startswith' || operator === 'endswith'
    ? { field, operator, ignoresCase: true }
    : { field, operator }
}

function readSingle(name: string, words = single): NamedTest | undefined {
  const operator = singleSuffix(name, words)
  return operator && { field: name.slice(0, -operator.length - 1), operator }
}

/** Reads a word after the last `__` as a suffix. `__proto__` stays a field. */
function readDoubled(name: string, words = doubled): NamedTest | undefined {
  const at = name.lastIndexOf('__')
  const suffix = at === -1 ? '' : name.slice(at + 2)
  if (!/^[A-Za-z]/.test(suffix)) return undefined
  const field = name.slice(0, at)
  if (words.includes(suffix) && field !== '') {
    return { field, operator: suffix === 'contains' ? 'icontains' : (suffix as SuffixOperator) }
  }
  const known = words.map((word) => `__${word}`)
  throw new SvcError('INVALID_FILTER', `Unknown filter suffix "__${suffix}" on "${field}". Known: ${known.join(', ')}.`)
}

function requireNoDoubled(name: string): void {
  const found = readDoubled(name)
  if (!found) return
  const suffix = name.slice(found.field.length)
  const message = `Write "${suffix}" once, after the last field of "__or__". It applies to all fields, not only to "${found.field}".`
  throw new SvcError('INVALID_FILTER', message)
}
