/** The `events` axis: names of the kinds of changes. Spec, "Events". */
import type { Change } from '../../model/change.js'
import { plainNames } from './decode.js'

export const eventNames = {
  past: { encode: (kind) => kind },
  plain: { encode: (kind) => plainNames[kind] },
} as const satisfies { readonly [form: string]: { encode(kind: Change['kind']): string } }
