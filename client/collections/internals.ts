import type { Session } from '../auth/session.js'

/** Key of what extensions need of a collection. Registered, because each bundle has a copy of this module. */
export const internals: unique symbol = Symbol.for('svc')

/** A collection as extensions take it. */
export interface Extensible<Schema, Data> {
  readonly [internals]: {
    readonly session: Session
    readonly name: string
    /** Never set. Carries the types of the collection. */
    readonly types?: readonly [Schema, Data]
  }
}
