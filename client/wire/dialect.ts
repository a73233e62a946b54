/** Every axis and its forms, the named dialects, and the `svc-dialect` header. Contract 1. */
import { SvcError } from '../model/errors.js'

/** The three variants of the specification. Every form is spoken by one of them. */
export const dialects = {
  a: {
    paths: 'flat',
    document: 'enveloped',
    body: 'either',
    record: 'bare',
    list: 'page',
    paging: 'small',
    filters: 'double',
    put: 'replace',
    events: 'past',
    frames: 'message',
    errors: 'envelope',
    two_factor: 'result',
  },
  b: {
    paths: 'nested',
    document: 'snake',
    body: 'either',
    record: 'bare',
    list: 'array',
    paging: 'large',
    filters: 'single',
    put: 'merge',
    events: 'plain',
    frames: 'model',
    errors: 'detail',
    two_factor: 'result',
  },
  c: {
    paths: 'flat',
    document: 'flat',
    body: 'bare',
    record: 'success',
    list: 'page',
    paging: 'small',
    filters: 'both',
    put: 'replace',
    events: 'past',
    frames: 'message',
    errors: 'envelope',
    two_factor: 'error',
  },
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
  const named = text === '' ? base : isDialectName(first) && dialects[first]
  if (!named && !first.includes('=')) throw unknown('dialect', first, Object.keys(dialects))
  const chosen: Record<string, string> = {}
  for (const exception of named ? rest : [first, ...rest]) {
    const [axis = '', form = ''] = exception.split(/\s*=\s*(.*)/s)
    if (!isAxis(axis)) throw unknown('axis', axis, axisNames)
    if (chosen[axis]) throw new SvcError('INVALID_DIALECT', `"${axis}" is given twice.`)
    const forms = formsOf(axis)
    if (!forms.includes(form)) throw unknown(axis, form, forms)
    chosen[axis] = form
  }
  return { ...(named || base), ...chosen } as Dialect
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

export const axisNames = Object.keys(dialects.a) as Axis[]

/** The forms of an axis. */
export function formsOf(axis: Axis): string[] {
  return [...new Set(Object.values(dialects).map((dialect) => dialect[axis]))]
}

function isDialectName(text: string): text is DialectName {
  return Object.hasOwn(dialects, text)
}

function isAxis(text: string): text is Axis {
  return Object.hasOwn(dialects.a, text)
}

function unknown(what: string, given: string, choices: readonly string[]) {
  return new SvcError('INVALID_DIALECT', `Unknown ${what} "${given.slice(0, 40)}". Known: ${choices.join(', ')}.`)
}
