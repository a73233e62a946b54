/** The `order` axis: the direction of a sort without one. */
import type { Sort } from '../../model/page.js'
import type { orderNames } from './encode.js'

export const orderForms = {
  asc: { unsaid: 'asc' },
  desc: { unsaid: 'desc' },
} as const satisfies { readonly [Form in keyof typeof orderNames]: { readonly unsaid: Sort['direction'] } }
