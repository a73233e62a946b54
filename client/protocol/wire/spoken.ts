/** What a client has to know of the dialect that it says. The service knows the rest, and refuses what is not of it. */
import { SvcError } from '../model/errors.js'

const a = {
  paths: 'flat',
  document: 'enveloped',
  body: 'either',
  record: 'bare',
  list: 'page',
  filters: 'double',
  events: 'past',
  frames: 'message',
} as const

/** The axes that decide how a client asks, and how it reads what is answered. */
export const spokenForms = {
  a,
  b: { ...a, paths: 'nested', document: 'snake', list: 'array', filters: 'single', events: 'plain', frames: 'model' },
  c: { ...a, document: 'flat', body: 'bare', record: 'success', filters: 'both' },
} as const

type Forms = typeof spokenForms
type SpokenAxis = keyof Forms['a']
export type Spoken = { readonly [Axis in SpokenAxis]: Forms[keyof Forms][Axis] }

/** A dialect, and how it is said. */
export interface NamedDialect extends Spoken {
  readonly name: keyof Forms
  readonly text: string
}

/** Reads `b`, `a, document=flat`, or exceptions alone, which apply on top of `a`. @throws {SvcError} `INVALID_DIALECT` */
export function readSpoken(text: string): NamedDialect {
  if (/^[^,]*=/.test(text)) return readSpoken(`a, ${text}`)
  const [name = '', ...exceptions] = text.split(/\s*,\s*/)
  const chosen = Object.fromEntries(exceptions.map((exception) => exception.split(/\s*=\s*/)))
  const forms: Spoken = { ...Object(spokenForms)[name], ...chosen }
  for (const axis of Object.keys(a) as SpokenAxis[]) {
    if (!Object.values(spokenForms).some((known) => known[axis] === forms[axis])) {
      throw new SvcError('INVALID_DIALECT', `"${text}" is no dialect.`)
    }
  }
  return { ...forms, name: name as keyof Forms, text }
}

/** A dialect as short as it can be said: its name, and the forms that are another's. */
export function sayDialect(name: keyof Forms, forms: Partial<Spoken>): string {
  const exceptions = (Object.keys(a) as SpokenAxis[])
    .filter((axis) => forms[axis] && forms[axis] !== spokenForms[name][axis])
    .map((axis) => `${axis}=${forms[axis]}`)
  return [name, ...exceptions].join(', ')
}

/** Asks for whole documents with the name of their collection, whatever the rest of the dialect looks like. */
export function realtimeDialect(spoken: NamedDialect): string {
  return sayDialect(spoken.name, { ...spoken, document: 'enveloped', events: 'past', frames: 'model' })
}
