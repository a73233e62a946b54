/** The part of a dialect that a client needs. The service knows the rest, and refuses unknown forms. */
import { SvcError } from '../model/errors.js'
import { bodyWrappers } from './body/encode.js'
import { documentDecoders } from './document/decode.js'
import { suffixEncoders } from './filters/encode.js'
import { listDecoders } from './list/decode.js'
import { orderNames } from './order/encode.js'
import { documentPaths } from './paths/encode.js'
import { recordDecoders } from './record/decode.js'
import { userListDecoders } from './users/decode.js'

/** Axes that decide how a client encodes requests and decodes responses. */
const spokenAxes = {
  paths: documentPaths,
  document: documentDecoders,
  body: bodyWrappers,
  record: recordDecoders,
  list: listDecoders,
  filters: suffixEncoders,
  users: userListDecoders,
  order: orderNames,
} as const

type SpokenAxis = keyof typeof spokenAxes
export type Spoken = { readonly [Axis in SpokenAxis]: keyof (typeof spokenAxes)[Axis] }

const a = {
  paths: 'flat',
  document: 'enveloped',
  body: 'either',
  record: 'bare',
  list: 'page',
  filters: 'double',
  users: 'page',
  order: 'asc',
  events: 'past',
  frames: 'message',
} as const

const nested = { paths: 'nested', list: 'array', events: 'plain', frames: 'model' } as const

/** Forms of these axes in the named dialects. Clients always request one form of events. */
export const spokenForms = {
  a,
  b: { ...a, ...nested, document: 'snake', filters: 'both' },
  c: { ...a, document: 'flat', body: 'bare', record: 'success' },
  d: { ...a, ...nested, document: 'deployed', filters: 'any', users: 'data', order: 'desc' },
} as const satisfies Record<string, Spoken & { readonly [Axis in 'events' | 'frames']: string }>

type DialectName = keyof typeof spokenForms

/** A dialect in a client, with its text. */
export interface NamedDialect extends Spoken {
  readonly name: DialectName
  readonly text: string
}

/** Parses `b`, `a, document=flat`, or only overrides of `a`. @throws {SvcError} `INVALID_DIALECT` */
export function parseSpoken(text: string): NamedDialect {
  if (/^[^,]*=/.test(text)) return parseSpoken(`a, ${text}`)
  const [name = '', ...exceptions] = text.split(/\s*,\s*/)
  const chosen = Object.fromEntries(exceptions.map((exception) => exception.split(/\s*=\s*/)))
  const forms: Spoken = { ...Object(spokenForms)[name], ...chosen }
  const isKnown = Object.entries(spokenAxes).every(([axis, known]) => Object.hasOwn(known, forms[axis as SpokenAxis]))
  if (isKnown) return { ...forms, name: name as DialectName, text }
  throw new SvcError('INVALID_DIALECT', `"${text}" is not a valid dialect.`)
}

/** Formats a dialect as short as possible: its name and the forms that differ. */
export function sayDialect(name: DialectName, forms: Partial<Record<keyof typeof a, string>>): string {
  const own = spokenForms[name]
  const exceptions = Object.entries(forms).filter(([axis, form]) => own[axis as keyof typeof a] !== form)
  return [name, ...exceptions.map((exception) => exception.join('='))].join(', ')
}

/** Requests whole documents with the name of their collection, independent of the dialect. */
export function realtimeDialect({ name, text: _, ...forms }: NamedDialect): string {
  return sayDialect(name, { ...forms, document: 'enveloped', events: 'past', frames: 'model' })
}
