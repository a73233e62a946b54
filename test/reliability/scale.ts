/**
 * How much a reliability test does: little in `npm test` and `npm run full`, much in
 * `npm run reliability`. `SVC_RELIABILITY_RUNS` multiplies the
 * long form, and `SVC_RELIABILITY_SEED` repeats a run: a failure prints the seed that it came from.
 */
export const isLong = process.env.SVC_RELIABILITY === 'long'

const factor = Number(process.env.SVC_RELIABILITY_RUNS ?? 1)

/** A count for the short form, and one for the long form. */
export function scaled(short: number, long: number): number {
  return isLong ? Math.max(1, Math.round(long * factor)) : short
}

export const seed = Number(process.env.SVC_RELIABILITY_SEED ?? Math.floor(Math.random() * 2 ** 31))

/** For `fc.assert`, which prints the seed and the path to the shrunk failure. */
export function sampled(short: number, long: number) {
  return { seed, numRuns: scaled(short, long) }
}
