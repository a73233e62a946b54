import type { Axis, Form } from '../../client/protocol/wire/axes.js'

/** The form of one axis, and what showed it. */
export type Finding = {
  [Name in Axis]: { readonly axis: Name; readonly form: Form<Name>; readonly evidence: string }
}[Axis]
