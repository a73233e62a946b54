/** Every axis and its forms, the named dialects, and the `svc-dialect` header. Contract 1. */
import { SvcError } from '../model/errors.js'
import { putMeanings, twoFactorForms } from './behaviours.js'
import { bodyForms } from './bodies.js'
import { collectionShapes } from './collections.js'
import { documentShapes } from './documents.js'
import { listEnvelopes, recordEnvelopes } from './envelopes.js'
import { errorFormats } from './errors.js'
import { eventNames, frameForms } from './events.js'
import { filterSuffixes } from './filters.js'
import { pagingRules } from './paging.js'
import { pathForms } from './paths.js'

export const axes = {
  paths: pathForms,
  document: documentShapes,
  body: bodyForms,
  record: recordEnvelopes,
  list: listEnvelopes,
  paging: pagingRules,
  filters: filterSuffixes,
  put: putMeanings,
  events: eventNames,
  frames: frameForms,
  errors: errorFormats,
  two_factor: twoFactorForms,
} as const

export type Axis = keyof typeof axes
export type Dialect = { readonly [Name in Axis]: keyof (typeof axes)[Name] }

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
} as const satisfies Record<string, Dialect>

export type DialectName = keyof typeof dialects

/**
 * Reads `b`, `a, document=flat, errors=detail`, or exceptions alone, which apply on top of `base`.
 *
 * @throws {SvcError} `INVALID_DIALECT`, naming the choices.
 */
export function readDialect(text: string | undefined, base: Dialect = dialects.a): Dialect {
  if (text === undefined || text === '') return base
  if (isDialectName(text)) return dialects[text]
  let dialect: Record<Axis, string> = { ...base }
  const seen = new Set<string>()
  text.split(',').forEach((part, at) => {
    const [axis = '', form, ...more] = part.split('=').map((word) => word.trim())
    if (form === undefined && at === 0 && isDialectName(axis)) {
      dialect = { ...dialects[axis] }
      return
    }
    if (form === undefined && at === 0) throw unknown('dialect', axis, Object.keys(dialects))
    if (!Object.hasOwn(axes, axis)) throw unknown('axis', axis, Object.keys(axes))
    if (seen.has(axis)) throw new SvcError('INVALID_DIALECT', `The axis "${axis}" is given twice.`)
    seen.add(axis)
    const choices = Object.keys(axes[axis as Axis])
    if (form === undefined || more.length > 0 || !choices.includes(form)) throw unknown(axis, form ?? '', choices)
    dialect[axis as Axis] = form
  })
  return dialect as Dialect
}

/** The shortest text that reads back as that dialect. */
export function formatDialect(dialect: Dialect): string {
  const differences = (name: DialectName) => axisNames.filter((axis) => dialect[axis] !== dialects[name][axis])
  const [nearest] = (Object.keys(dialects) as DialectName[]).sort(
    (one, other) => differences(one).length - differences(other).length,
  )
  const name = nearest ?? 'a'
  return [name, ...differences(name).map((axis) => `${axis}=${dialect[axis]}`)].join(', ')
}

export const axisNames = Object.keys(axes) as Axis[]

/** The forms that a dialect has chosen, one of each table. */
export function dialectRules(dialect: Dialect) {
  return {
    paths: pathForms[dialect.paths],
    document: documentShapes[dialect.document],
    collection: collectionShapes[dialect.document],
    body: bodyForms[dialect.body],
    record: recordEnvelopes[dialect.record],
    list: listEnvelopes[dialect.list],
    paging: pagingRules[dialect.paging],
    filters: filterSuffixes[dialect.filters],
    events: eventNames[dialect.events],
    frames: frameForms[dialect.frames],
    errors: errorFormats[dialect.errors],
  }
}

function isDialectName(text: string): text is DialectName {
  return Object.hasOwn(dialects, text)
}

function unknown(what: string, given: string, choices: readonly string[]) {
  return new SvcError(
    'INVALID_DIALECT',
    `Unknown ${what} "${given.slice(0, 40)}". Choose one of: ${choices.join(', ')}.`,
  )
}
