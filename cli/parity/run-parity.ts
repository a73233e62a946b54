/** Runs all cases on both sides, confirms what differs, and explains it. */
import { CliFailure } from '../base/failure.js'
import { type Capability, isWriting, type ParityCase } from './case.js'
import { compareObservations, type Difference } from './compare.js'
import { type Advice, findAdvice } from './explain.js'
import { BudgetSpent } from './pace.js'
import type { CaseResult } from './report.js'
import { NotApplicable, type Observation, runCase, type Stage } from './run-case.js'
import { Disturbed, type Exchange } from './side.js'

export interface RawFinding {
  readonly one: ParityCase
  readonly there: Observation
  readonly difference: Difference
  readonly exchanges: { readonly here: readonly Exchange[]; readonly there: readonly Exchange[] }
}

export interface Outcome {
  readonly cases: readonly CaseResult[]
  readonly findings: readonly RawFinding[]
  readonly advice: Advice | undefined
  /** Why the run ended early. */
  readonly stopped: CliFailure | undefined
}

interface Parity {
  readonly here: Stage
  readonly there: Stage
  readonly can: ReadonlySet<Capability>
  readonly dialect: string
  readonly onCase: () => void
}

export async function runParity(cases: readonly ParityCase[], parity: Parity): Promise<Outcome> {
  const results: CaseResult[] = []
  const findings: RawFinding[] = []
  let rest: string | undefined
  let stopped: CliFailure | undefined
  for (const one of cases) {
    const { id, axis } = one
    const why = rest ?? blocked(one, parity.can)
    if (why !== undefined) {
      results.push({ id, axis, ...why_(why, rest !== undefined || !parity.can.has('write')) })
      continue
    }
    try {
      const finding = await compareCase(one, parity)
      if (finding) findings.push(finding)
      results.push({ id, axis, result: finding ? 'differs' : 'same' })
    } catch (error) {
      if (error instanceof NotApplicable) results.push({ id, axis, result: 'not applicable', why: error.message })
      else if (error instanceof Unstable || error instanceof Disturbed) {
        results.push({ id, axis, result: 'not tried', why: 'The service did not answer the same twice.' })
      } else {
        rest = restOf(error, parity.there.signal)
        if (error instanceof CliFailure) stopped = error
        results.push({ id, axis, result: 'not tried', why: rest })
      }
    }
    parity.onCase()
  }
  const advice = parity.there.signal.aborted ? undefined : await findAdvice(findings, parity.here, parity.dialect)
  return { cases: results, findings, advice, stopped }
}

function why_(why: string, isNotTried: boolean): Pick<CaseResult, 'result' | 'why'> {
  return { result: isNotTried ? 'not tried' : 'not applicable', why }
}

/** Returns why the rest of the cases is not tried. @throws what is not about the service */
function restOf(error: unknown, signal: AbortSignal): string {
  if (signal.aborted) return 'You stopped the run.'
  if (error instanceof BudgetSpent) return 'The budget of calls was spent.'
  if (error instanceof CliFailure) return error.message
  throw error
}

function blocked(one: ParityCase, can: ReadonlySet<Capability>): string | undefined {
  if (!can.has('write') && (isWriting(one) || one.needs?.includes('write'))) return 'It writes.'
  const missing = one.needs?.filter((need) => !can.has(need)) ?? []
  // Without writes, nothing is known about what a service can do.
  if (missing.length === 0) return undefined
  return `The service lacks: ${missing.join(', ')}.`
}

/** Thrown when a side does not answer the same twice. */
class Unstable extends Error {
  override readonly name = 'Unstable'
}

async function compareCase(one: ParityCase, { here, there }: Parity): Promise<RawFinding | undefined> {
  const first = await runBoth(one, here, there)
  if (!first.difference) return undefined
  const again = await runBoth(one, here, there)
  const isStable =
    !compareObservations(one, first.here, again.here) && !compareObservations(one, first.there, again.there)
  if (!isStable) throw new Unstable()
  return { one, there: again.there, difference: first.difference, exchanges: again.exchanges }
}

async function runBoth(one: ParityCase, here: Stage, there: Stage) {
  const exchanges = { here: [] as Exchange[], there: [] as Exchange[] }
  const theirs = await runCase(one, there, { keep: exchanges.there })
  const ours = await runCase(one, here, { keep: exchanges.here })
  return { here: ours, there: theirs, difference: compareObservations(one, ours, theirs), exchanges }
}
