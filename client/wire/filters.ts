/** The `filters` axis: which suffixes a query parameter's name may end in. Spec, "List query parameters". */
import { SvcError } from '../model/errors.js'
import type { Operator } from '../model/where.js'
import type { Form } from './dialect.js'

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

type Suffixes = Readonly<Record<string, Operator>>

const common = same('ne', 'gt', 'gte', 'lt', 'lte', 'in', 'isnull')
const doubled: Suffixes = { ...common, contains: 'icontains', ...same('startswith', 'endswith', 'notin') }
const single = { ...common, ...same('eq', 'contains', 'icontains') }

/** Suffixes that are spelled as their operators are. */
function same(...operators: Operator[]): Suffixes {
  return Object.fromEntries(operators.map((operator) => [operator, operator]))
}

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
  const operator = Object.hasOwn(doubled, suffix) ? doubled[suffix] : undefined
  const field = name.slice(0, at)
  if (operator && field !== '') return { field, operator }
  const known = Object.keys(doubled).map((word) => `__${word}`)
  throw new SvcError('INVALID_FILTER', `Unknown filter suffix "__${suffix}" on "${field}". Known: ${known.join(', ')}.`)
}

/** A single underscore is a suffix's only if no other stands before it and the word is known. */
function readSingle(name: string): NamedTest | undefined {
  const [, field = '', suffix = ''] = /^(.*[^_])_([a-z]+)$/s.exec(name) ?? []
  const operator = Object.hasOwn(single, suffix) ? single[suffix] : undefined
  return operator && { field, operator }
}

function writeDoubled(field: string, operator: Operator): string | undefined {
  const suffix = suffixOf(doubled, operator)
  if (operator === 'eq') return /__[A-Za-z](?!.*__)/s.test(field) ? undefined : field
  return suffix && `${field}__${suffix}`
}

/** Equality is always written out, since `checked_in` alone would ask whether `checked` is in a list. */
function writeSingle(field: string, operator: Operator): string | undefined {
  const suffix = suffixOf(single, operator)
  return suffix && !field.endsWith('_') ? `${field}_${suffix}` : undefined
}

/** Doubled, unless it is a bare name that ends as a single suffix does. */
function writeBoth(field: string, operator: Operator): string | undefined {
  const name = writeDoubled(field, operator)
  return name && !readSingle(name) ? name : writeSingle(field, operator)
}

function suffixOf(table: Suffixes, operator: Operator): string | undefined {
  return Object.keys(table).find((suffix) => table[suffix] === operator)
}
