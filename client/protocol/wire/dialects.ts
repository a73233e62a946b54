/** Named dialects, and their text form for the header `svc-dialect`. Contract 1. */
import { SvcError } from '../model/errors.js'
import { type Axis, axes, axisNames, type Dialect, listForms } from './axes.js'
import { spokenForms } from './spoken.js'

const plain = {
  paging: 'small',
  put: 'replace',
  errors: 'envelope',
  two_factor: 'result',
  session: 'flat',
  acks: 'record',
  populate: 'field',
  refusals: 'spec',
} as const

/** The three variants of the specification, and the deployed service. */
export const dialects = {
  a: { ...spokenForms.a, ...plain },
  b: {
    ...spokenForms.b,
    ...plain,
    paging: 'large',
    put: 'merge',
    errors: 'detail',
  },
  c: { ...spokenForms.c, ...plain, two_factor: 'error' },
  d: {
    ...spokenForms.d,
    ...plain,
    paging: 'large',
    put: 'merge',
    errors: 'detail',
    session: 'pair',
    acks: 'status',
    populate: 'named',
  },
} as const satisfies Record<string, Dialect>

export type DialectName = keyof typeof dialects

/**
 * Parses `b`, `a, document=flat, errors=detail`, or only overrides of `base`.
 *
 * @throws {SvcError} `INVALID_DIALECT` with the valid choices
 */
export function parseDialect(text = '', base: Dialect = dialects.a): Dialect {
  const [first = '', ...rest] = text.trim().split(/\s*,\s*/)
  const isNamed = !first.includes('=')
  if (text && isNamed) requireOneOf('dialect', first, Object.keys(dialects))
  const chosen: Record<string, string> = {}
  for (const exception of isNamed ? rest : [first, ...rest]) {
    const [axis = '', form = ''] = exception.split(/\s*=\s*(.*)/s)
    if (!isAxis(axis)) throw unknown('axis', axis, axisNames())
    if (chosen[axis]) throw new SvcError('INVALID_DIALECT', `"${axis}" is given twice.`)
    requireOneOf(axis, form, listForms(axis))
    chosen[axis] = form
  }
  return { ...(dialects[first as DialectName] ?? base), ...chosen } as Dialect
}

/** Formats a dialect as the shortest text that parses to it. */
export function formatDialect(dialect: Dialect): string {
  const texts = (Object.keys(dialects) as DialectName[]).map((name) => {
    const exceptions = axisNames().flatMap((axis) =>
      dialect[axis] === dialects[name][axis] ? [] : `${axis}=${dialect[axis]}`,
    )
    return [name, ...exceptions].join(', ')
  })
  return texts.reduce((one, other) => (other.length < one.length ? other : one))
}

function isAxis(name: string): name is Axis {
  return Object.hasOwn(axes, name)
}

function requireOneOf(what: string, given: string, choices: readonly string[]) {
  if (!choices.includes(given)) throw unknown(what, given, choices)
}

function unknown(what: string, given: string, choices: readonly string[]): SvcError {
  return new SvcError('INVALID_DIALECT', `Unknown ${what} "${given.slice(0, 40)}". Known: ${choices.join(', ')}.`)
}
