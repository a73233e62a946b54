/** What a run did and found, as lines of JSON that `scripts/reliability.js` makes tables and pictures of. */
import { appendFileSync } from 'node:fs'
import { seed } from './scale.js'

export interface Entry {
  /** The part of the suite, such as `fault sweep`. */
  readonly part: string
  readonly what: string
  readonly engine: string
  /** The number of tries. */
  readonly count: number
  readonly unit: string
  /** Violations by kind; 0 is what each should be. */
  readonly found: Readonly<Record<string, number>>
  /** Figures over time, for a picture. */
  readonly series?: readonly {
    readonly what: string
    readonly points: readonly (readonly [at: number, value: number])[]
  }[]
}

const file = process.env.SVC_RELIABILITY_LEDGER

export function record(entry: Entry): void {
  if (file !== undefined) appendFileSync(file, `${JSON.stringify({ ...entry, seed })}\n`)
}
