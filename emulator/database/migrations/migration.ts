import type { Fragment } from '../port.js'

/** A migration of the tables. Never edit a released one: databases that have it would not run it again. */
export interface Migration {
  /** Greater by one than the previous number. The database stores it once applied. */
  readonly number: number
  readonly name: string
  /** Runs in one transaction. */
  readonly statements: readonly Fragment[]
}
