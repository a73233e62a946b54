import type { Session } from '../auth/session.js'
import { repeatable } from '../keys.js'
import { encodeBody } from '../protocol/wire/sendable.js'
import { backOff, isTransient } from '../send.js'
import { toQuery } from './list-pages.js'

/** Code that other entries would otherwise bring again. */
export const shared = { backOff, encodeBody, isTransient, repeatable, toQuery }

/** Key of what extensions need of a collection. Registered, because each bundle has a copy of this module. */
export const internals: unique symbol = Symbol.for('svc')

/** A collection as extensions take it. */
export interface Extensible<Schema, Data> {
  readonly [internals]: typeof shared & {
    readonly session: Session
    readonly name: string
    /** Never set. Carries the types of the collection. */
    readonly types?: readonly [Schema, Data]
  }
}
