/** Prints the result of a long run. */
import { isLong, seed } from './scale.js'

interface Entry {
  /** The part of the suite, such as `fault sweep`. */
  readonly part: string
  readonly what: string
  readonly engine: string
  /** The number of tries. */
  readonly count: number
  readonly unit: string
  /** Violations by kind; each should be 0. */
  readonly found: Readonly<Record<string, number>>
}

export function record({ part, what, engine, count, unit, found }: Entry): void {
  if (!isLong) return
  const kinds = Object.entries(found).map(([kind, times]) => `${times} ${kind}`)
  console.log(`${part}: ${what} on ${engine}, ${count} ${unit}: ${kinds.join(', ')} (seed ${seed})`)
}
