/** Every change of the tables, oldest first. */
import type { Fragment } from '../port.js'
import { baseline } from './0100-baseline.js'

/** One change of the tables. Never edit one that was released: databases that have it would not be changed again. */
export interface Migration {
  /** One more than the number of the migration before it; a database keeps it once it has been applied. */
  readonly number: number
  readonly name: string
  /** All of them, or none. */
  readonly statements: readonly Fragment[]
}

export const migrations: readonly Migration[] = [baseline]
