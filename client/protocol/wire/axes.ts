/**
 * Registry of axes: everything that the service offers in several forms, each with its table of forms. Dialect types, the
 * header, the API description and `svc dialects` derive from it. Contract 1.
 */
import { pageSizes } from '../model/limits.js'
import { ackForms } from './acks/encode.js'
import { bodyForms } from './body/decode.js'
import { documentShapes } from './document/encode.js'
import { errorFormats } from './errors/encode.js'
import { eventNames } from './events/encode.js'
import { filterSuffixes } from './filters/decode.js'
import { frameForms } from './frames/encode.js'
import { listEnvelopes } from './list/encode.js'
import { orderForms } from './order/decode.js'
import { documentPaths } from './paths/encode.js'
import { populateForms } from './populate/decode.js'
import { putForms } from './put/decode.js'
import { recordEnvelopes } from './record/encode.js'
import { refusalForms } from './refusals/decode.js'
import { sessionForms } from './session/encode.js'
import { twoFactorForms } from './two-factor/encode.js'
import { userLists } from './users/encode.js'

export const axes = {
  paths: documentPaths,
  document: documentShapes,
  body: bodyForms,
  record: recordEnvelopes,
  list: listEnvelopes,
  /** Default and maximum page size. Spec, "Limits". */
  paging: pageSizes,
  filters: filterSuffixes,
  put: putForms,
  events: eventNames,
  frames: frameForms,
  errors: errorFormats,
  two_factor: twoFactorForms,
  users: userLists,
  session: sessionForms,
  acks: ackForms,
  populate: populateForms,
  order: orderForms,
  refusals: refusalForms,
} as const

export type Axis = keyof typeof axes
export type Form<Name extends Axis> = keyof (typeof axes)[Name]
/** One form of each axis. */
export type Dialect = { readonly [Name in Axis]: Form<Name> }

export function axisNames(): Axis[] {
  return Object.keys(axes) as Axis[]
}

/** Lists the forms of an axis. */
export function listForms<Name extends Axis>(axis: Name): Form<Name>[] {
  return Object.keys(axes[axis]) as Form<Name>[]
}
