import type { Axis } from '../../client/protocol/wire/dialects.js'

/** One thing that an answer told. */
export interface Finding {
  readonly axis: Axis
  readonly form: string
  readonly evidence: string
}
