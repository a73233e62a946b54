/**
 * The registry of axes: all that the service serves in several forms, each axis with its table of forms. The types of a
 * dialect, its header, the description of the API and `svc dialects` follow from it. Contract 1.
 */
import { pageSizes } from '../model/limits.js'
import { bodyForms } from './body/decode.js'
import { documentShapes } from './document/encode.js'
import { errorFormats } from './errors/encode.js'
import { eventNames } from './events/encode.js'
import { filterSuffixes } from './filters/decode.js'
import { frameForms } from './frames/encode.js'
import { listEnvelopes } from './list/encode.js'
import { documentPaths } from './paths/encode.js'
import { putForms } from './put/decode.js'
import { recordEnvelopes } from './record/encode.js'
import { twoFactorForms } from './two-factor/encode.js'

export const axes = {
  paths: documentPaths,
  document: documentShapes,
  body: bodyForms,
  record: recordEnvelopes,
  list: listEnvelopes,
  /** The page size when none is asked for, and the largest there is. Spec, "Limits". */
  paging: pageSizes,
  filters: filterSuffixes,
  put: putForms,
  events: eventNames,
  frames: frameForms,
  errors: errorFormats,
  two_factor: twoFactorForms,
} as const

export type Axis = keyof typeof axes
export type Form<Name extends Axis> = keyof (typeof axes)[Name]
/** A choice of one form of each axis. */
export type Dialect = { readonly [Name in Axis]: Form<Name> }

export function axisNames(): Axis[] {
  return Object.keys(axes) as Axis[]
}

/** The forms of an axis. */
export function formsOf<Name extends Axis>(axis: Name): Form<Name>[] {
  return Object.keys(axes[axis]) as Form<Name>[]
}
