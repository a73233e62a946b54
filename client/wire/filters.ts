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
  write(test: NamedTest): string | undefined
}

type Suffixes = Readonly<Record<string, Operator>>

const common: Suffixes = { ne: 'ne', gt: 'gt', gte: 'gte', lt: 'lt', lte: 'lte', in: 'in', isnull: 'isnull' }

const doubled: Suffixes = {
  ...common,
  contains: 'icontains',
  startswith: 'startswith',
  endswith: 'endswith',
  notin: 'notin',
}

const single: Suffixes = { ...common, eq: 'eq', contains: 'contains', icontains: 'icontains' }

export const suffixWriters = {
  double: writeDoubled,
  single: writeSingle,
  both: (test) => writeUnread(test) ?? writeDoubled(test) ?? writeSingle(test),
} as const satisfies Record<Form<'filters'>, SuffixFamily['write']>

export const filterSuffixes = {
  double: {
    example: 'views__gte=100',
    read: (name) => readDoubled(name) ?? { field: name, operator: 'eq' },
    write: (test) => suffixWriters.double(test),
  },
  single: {
    example: 'views_gte=100',
    read: (name) => readSingle(name) ?? { field: name, operator: 'eq' },
    write: (test) => suffixWriters.single(test),
  },
  both: {
    example: 'views__gte=100 or views_gte=100',
    read: (name) => readDoubled(name) ?? readSingle(name) ?? { field: name, operator: 'eq' },
    write: (test) => suffixWriters.both(test),
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

function writeDoubled({ field, operator }: NamedTest): string | undefined {
  const suffix = suffixOf(doubled, operator)
  if (operator === 'eq') return /__[A-Za-z](?!.*__)/s.test(field) ? undefined : field
  return suffix && `${field}__${suffix}`
}

/** Equality is always written out, since `checked_in` alone would ask whether `checked` is in a list. */
function writeSingle({ field, operator }: NamedTest): string | undefined {
  const suffix = suffixOf(single, operator)
  return suffix && !field.endsWith('_') ? `${field}_${suffix}` : undefined
}

/** In `both`, a bare name that ends as a single suffix does needs its `_eq`. */
function writeUnread(test: NamedTest): string | undefined {
  return test.operator === 'eq' && readSingle(test.field) ? writeSingle(test) : undefined
}

function suffixOf(table: Suffixes, operator: Operator): string | undefined {
  return Object.keys(table).find((suffix) => table[suffix] === operator)
}
