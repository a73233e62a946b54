/** Every axis and its forms, the named dialects, and the `svc-dialect` header. Contract 1. */
import { SvcError } from '../model/errors.js'
import { spokenForms } from './spoken.js'

const plain = {
  paging: 'small',
  put: 'replace',
  errors: 'envelope',
  two_factor: 'result',
} as const

/** The three variants of the specification. Every form is spoken by one of them. */
export const dialects = {
  a: { ...spokenForms.a, ...plain },
  b: {
    ...spokenForms.b,
    paging: 'large',
    put: 'merge',
    errors: 'detail',
    two_factor: 'result',
  },
  c: { ...spokenForms.c, ...plain, two_factor: 'error' },
} as const

export type Axis = keyof typeof dialects.a
export type Form<Name extends Axis> = (typeof dialects)[DialectName][Name]
export type Dialect = { readonly [Name in Axis]: Form<Name> }

export type DialectName = keyof typeof dialects

/**
 * Reads `b`, `a, document=flat, errors=detail`, or exceptions alone, which apply on top of `base`.
 *
 * @throws {SvcError} `INVALID_DIALECT`, naming the choices.
 */
export function readDialect(text = '', base: Dialect = dialects.a): Dialect {
  const [first = '', ...rest] = text.trim().split(/\s*,\s*/)
  const isNamed = !first.includes('=')
  if (text && isNamed) requireOneOf('dialect', first, Object.keys(dialects))
  const chosen: Record<string, string> = {}
  for (const exception of isNamed ? rest : [first, ...rest]) {
    const [axis = '', form = ''] = exception.split(/\s*=\s*(.*)/s)
    requireOneOf('axis', axis, axisNames)
    if (chosen[axis]) throw new SvcError('INVALID_DIALECT', `"${axis}" is given twice.`)
    requireOneOf(axis, form, formsOf(axis as Axis))
    chosen[axis] = form
  }
  return { ...(dialects[first as DialectName] ?? base), ...chosen } as Dialect
}

/** The shortest text that reads back as that dialect. */
export function formatDialect(dialect: Dialect): string {
  const texts = (Object.keys(dialects) as DialectName[]).map((name) => {
    const exceptions = axisNames.flatMap((axis) =>
      dialect[axis] === dialects[name][axis] ? [] : `${axis}=${dialect[axis]}`,
    )
    return [name, ...exceptions].join(', ')
  })
  return texts.reduce((one, other) => (other.length < one.length ? other : one))
}

export const axisNames: readonly Axis[] = [
  'paths',
  'document',
  'body',
  'record',
  'list',
  'paging',
  'filters',
  'put',
  'events',
  'frames',
  'errors',
  'two_factor',
]

/** The forms of an axis. */
export function formsOf(axis: Axis): string[] {
  return [...new Set(Object.values(dialects).map((dialect) => dialect[axis]))]
}

function requireOneOf(what: string, given: string, choices: readonly string[]) {
  if (choices.includes(given)) return
  const known = `Known: ${choices.join(', ')}.`
  throw new SvcError('INVALID_DIALECT', `Unknown ${what} "${given.slice(0, 40)}". ${known}`)
}
