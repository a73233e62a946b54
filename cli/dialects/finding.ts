import type { Axis, Form } from '../../client/protocol/wire/axes.js'

/** The form of one axis, with the evidence for it. */
export type Finding = {
  [Name in Axis]: { readonly axis: Name; readonly form: Form<Name>; readonly evidence: string }
}[Axis]
