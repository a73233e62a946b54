/** Results of a run, as the terminal and files show them. */
import type { Json } from '../../client/protocol/model/json.js'
import type { Difference, Level } from './compare.js'
import type { Exchange } from './side.js'

export const results = ['same', 'differs', 'not applicable', 'not tried'] as const
export type Result = (typeof results)[number]

export interface CaseResult {
  readonly id: string
  readonly axis: string
  readonly result: Result
  /** Why the case was not asked. */
  readonly why?: string
}

export interface ParityFinding {
  readonly id: string
  readonly axis: string
  readonly level: Level
  readonly part: Difference['part']
  readonly here: Json
  readonly there: Json
  /** The part of the advice that mends it, such as `document=snake`. */
  readonly mendedBy: string | null
  /** Says what to change in the app, if no setting mends it. */
  readonly change: string | null
  /** Reason and end of an accepted difference. */
  readonly accepted: { readonly reason: string; readonly until: string } | null
  readonly exchanges: { readonly here: readonly Exchange[]; readonly there: readonly Exchange[] }
}

export interface ParityReport {
  readonly run: string
  readonly at: string
  readonly url: string
  readonly from: string
  readonly dialect: string
  readonly calls: number
  /** same ÷ (same + differs). Null if nothing was compared. */
  readonly score: number | null
  /** (same + differs) ÷ all cases. */
  readonly coverage: number
  readonly facts: readonly string[]
  readonly cases: readonly CaseResult[]
  readonly findings: readonly ParityFinding[]
  readonly advice: {
    readonly dialect: string
    readonly forms: readonly string[]
    readonly command: string
    readonly mends: number
  } | null
  /** Things that the run could not remove. */
  readonly left: readonly string[]
  /** Why the run ended early. */
  readonly stopped: string | null
}

export interface AxisRow {
  readonly axis: string
  readonly same: number
  readonly differs: number
  readonly notApplicable: number
  readonly notTried: number
}

export function countByAxis(cases: readonly CaseResult[]): AxisRow[] {
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

export function calculateScore(cases: readonly CaseResult[]): Pick<ParityReport, 'score' | 'coverage'> {
  const same = cases.filter(({ result }) => result === 'same').length
  const compared = same + cases.filter(({ result }) => result === 'differs').length
  return {
    score: compared === 0 ? null : same / compared,
    coverage: cases.length === 0 ? 0 : compared / cases.length,
  }
}

/** Formats both figures, since one without the other misleads. */
export function scoreLine({ score, coverage, cases }: Pick<ParityReport, 'score' | 'coverage' | 'cases'>): string {
  const compared = cases.filter(({ result }) => result === 'same' || result === 'differs').length
  const share = score === null ? 'no score' : `${percent(score)} the same`
  return `${share}, ${percent(coverage)} of the cases compared (${compared} of ${cases.length}).`
}

/** Rounds down, so that 100% means all. */
function percent(share: number): string {
  return `${Math.floor(share * 1_000) / 10}%`
}
