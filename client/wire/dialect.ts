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
export function readDialect(text: string | undefined, base: Dialect = dialects.a): Dialect {
  if (text === undefined || text === '') return base
  if (isDialectName(text)) return dialects[text]
  const [first = '', ...rest] = text.split(',').map((part) => part.trim())
  const isBare = !first.includes('=')
  if (isBare && !isDialectName(first)) throw unknown('dialect', first, Object.keys(dialects))
  const dialect: Record<string, string> = { ...(isDialectName(first) ? dialects[first] : base) }
  const seen = new Set<string>()
  for (const exception of isBare ? rest : [first, ...rest]) {
    const [axis = '', ...words] = exception.split('=').map((word) => word.trim())
    const form = words.join('=')
    if (!isAxis(axis)) throw unknown('axis', axis, axisNames)
    if (seen.has(axis)) throw new SvcError('INVALID_DIALECT', `The axis "${axis}" is given twice.`)
    seen.add(axis)
    const forms: readonly string[] = formsOf(axis)
    if (!forms.includes(form)) throw unknown(axis, form, forms)
    dialect[axis] = form
  }
  return dialect as Dialect
}

/** The shortest text that reads back as that dialect. */
export function formatDialect(dialect: Dialect): string {
  const texts = (Object.keys(dialects) as DialectName[]).map((name) => {
    const exceptions = axisNames.filter((axis) => dialect[axis] !== dialects[name][axis])
    return [name, ...exceptions.map((axis) => `${axis}=${dialect[axis]}`)].join(', ')
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
  return new SvcError(
    'INVALID_DIALECT',
    `Unknown ${what} "${given.slice(0, 40)}". Choose one of: ${choices.join(', ')}.`,
  )
}
