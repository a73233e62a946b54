import type { Fragment } from '../port.js'

/** One change of the tables. What has landed is never edited: databases that have it would not be changed again. */
export interface Migration {
  /** One more than the number of the migration before it; a database keeps it once it has been applied. */
  readonly number: number
  readonly name: string
  /** All of them, or none. */
  readonly statements: readonly Fragment[]
}
