/** Score, coverage, and accepted differences of a parity run. */

/** Levels of findings, from the worst. */
export const levels = ['breaks', 'minor', 'note'] as const
export type Level = (typeof levels)[number]

export const results = ['same', 'differs', 'not applicable', 'not tried'] as const
export type Result = (typeof results)[number]

interface Case {
  readonly axis: string
  readonly result: Result
}

export interface AxisRow {
  readonly axis: string
  readonly same: number
  readonly differs: number
  readonly notApplicable: number
  readonly notTried: number
}

export function countByAxis(cases: readonly Case[]): AxisRow[] {
  const axes = [...new Set(cases.map(({ axis }) => axis))]
  return axes.map((axis) => {
    const count = (result: Result) => cases.filter((one) => one.axis === axis && one.result === result).length
    return {
      axis,
      same: count('same'),
      differs: count('differs'),
      notApplicable: count('not applicable'),
      notTried: count('not tried'),
    }
  })
}

interface Score {
  readonly score: number | null
  readonly coverage: number
}

export function calculateScore(cases: readonly Case[]): Score {
  const { same, compared } = countCompared(cases)
  return {
    score: compared === 0 ? null : same / compared,
    coverage: cases.length === 0 ? 0 : compared / cases.length,
  }
}

export function countCompared(cases: readonly Case[]): { readonly same: number; readonly compared: number } {
  const same = cases.filter(({ result }) => result === 'same').length
  return { same, compared: same + cases.filter(({ result }) => result === 'differs').length }
}

/** Formats both figures, since one without the other misleads. */
export function scoreLine({ score, coverage, cases }: Score & { readonly cases: readonly Case[] }): string {
  const { compared } = countCompared(cases)
  const share = score === null ? 'no score' : `${percent(score)} the same`
  return `${share}, ${percent(coverage)} of the cases compared (${compared} of ${cases.length}).`
}

/** Rounds down, so that 100% means all. */
export function percent(share: number): string {
  return `${Math.floor(share * 1_000) / 10}%`
}

/** Lists accepted differences. */
export const parityLockName = 'parity.lock.json'

interface Acceptance {
  readonly id: string
  readonly part: string
  readonly reason: string
  readonly until: string
}

/** Finds the entry of `parity.lock.json` that accepts a difference now. Null without one. */
export function findAcceptance(
  accepted: readonly Acceptance[],
  { id, part }: Pick<Acceptance, 'id' | 'part'>,
  now: Date,
): Pick<Acceptance, 'reason' | 'until'> | null {
  const found = accepted.find((one) => one.id === id && one.part === part && one.until >= toDay(now))
  return found ? { reason: found.reason, until: found.until } : null
}

/** Returns the day in UTC, such as `2027-01-31`. */
export function toDay(time: Date): string {
  return time.toISOString().slice(0, 10)
}

/** Returns the latest day until which a difference may be accepted. */
export function latestEnd(now: Date): string {
  return toDay(new Date(now.getTime() + 366 * 86_400_000))
}
