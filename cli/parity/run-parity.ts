/** Runs all cases on both sides, confirms what differs, and explains it. */
import type { ParityReport } from '../../client/protocol/control/parity.js'
import { CliFailure } from '../base/failure.js'
import { type Capability, isWriting, ownAxes, type ParityCase } from './case.js'
import { compareObservations, type Difference } from './compare.js'
import { type Advice, type Compared, findAdvice } from './explain.js'
import { BudgetSpent } from './pace.js'
import { NotApplicable, type Observation, runCase, type Stage } from './run-case.js'
import { Disturbed, type Exchange } from './side.js'

export const stoppedByUser = 'You stopped the run.'

export type CaseResult = ParityReport['cases'][number]

export interface RawFinding {
  readonly one: ParityCase
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
}

export async function runParity(cases: readonly ParityCase[], parity: Parity): Promise<Outcome> {
  const results: CaseResult[] = []
  const findings: RawFinding[] = []
  const compared: Compared[] = []
  let ended: Ended | undefined
  for (const one of cases) {
    const { id, axis } = one
    const known = ended ? notTried(ended.why) : blocked(one, parity.can)
    const asked = known ? { shown: known } : await askCase(one, parity)
    results.push({ id, axis, ...asked.shown })
    if (asked.compared) compared.push(asked.compared)
    if (asked.finding) findings.push(asked.finding)
    ended ??= asked.ended
  }
  const advice = parity.there.signal.aborted ? undefined : await findAdvice(compared, parity.here, parity.dialect)
  return { cases: results, findings, advice, stopped: ended?.failure }
}

interface Ended {
  readonly why: string
  readonly failure: CliFailure | undefined
}

interface Asked {
  readonly shown: Shown
  readonly compared?: Compared
  readonly finding?: RawFinding | undefined
  /** Why the rest is not tried. */
  readonly ended?: Ended
}

async function askCase(one: ParityCase, parity: Parity): Promise<Asked> {
  try {
    const { there, finding } = await compareCase(one, parity)
    const shown: Shown = { result: finding ? 'differs' : 'same' }
    return { shown, compared: { one, there, differs: finding !== undefined }, finding }
  } catch (error) {
    const shown = describeUncompared(error)
    if (shown) return { shown }
    const why = explainEnd(error, parity.there.signal)
    return { shown: notTried(why), ended: { why, failure: error instanceof CliFailure ? error : undefined } }
  }
}

type Shown = Pick<CaseResult, 'result' | 'why'>

function notTried(why: string): Shown {
  return { result: 'not tried', why }
}

/** Returns the result of a case that could not be compared. Undefined for what ends the run. */
function describeUncompared(error: unknown): Shown | undefined {
  if (error instanceof NotApplicable) return { result: 'not applicable', why: error.message }
  const isUnclear = error instanceof Unstable || error instanceof Disturbed
  return isUnclear ? notTried('The service did not answer the same twice.') : undefined
}

/** Returns why the rest of the cases is not tried. @throws what is not about the service */
function explainEnd(error: unknown, signal: AbortSignal): string {
  if (signal.aborted) return stoppedByUser
  if (error instanceof BudgetSpent) return 'The budget of calls was spent.'
  if (error instanceof CliFailure) return error.message
  throw error
}

function blocked(one: ParityCase, can: ReadonlySet<Capability>): Shown | undefined {
  const missing = one.needs?.filter((need) => !can.has(need)) ?? []
  if (!can.has('write') && (isWriting(one) || missing.length > 0)) return notTried('It writes.')
  return missing.length === 0
    ? undefined
    : { result: 'not applicable', why: `The service lacks: ${missing.join(', ')}.` }
}

/** Thrown when a side does not answer the same twice. */
class Unstable extends Error {
  override readonly name = 'Unstable'
}

/** Runs a case that differs again, because what differs from itself is noise. @throws {Unstable} */
async function compareCase(
  one: ParityCase,
  { here, there }: Parity,
): Promise<{ readonly there: Observation; readonly finding?: RawFinding }> {
  const first = await runBoth(one, here, there)
  if (!first.difference) return { there: first.there }
  const again = await runBoth(one, here, there)
  const isStable =
    !compareObservations(one, first.here, again.here) && !compareObservations(one, first.there, again.there)
  if (!isStable) throw new Unstable()
  const found = { one, difference: first.difference, exchanges: again.exchanges }
  return { there: again.there, finding: isBuiltIn(one) ? found : await dropSteps(found, here, there) }
}

/** Cases that come with the toolkit have no step to drop. */
function isBuiltIn({ axis }: ParityCase): boolean {
  return axis !== ownAxes.app && axis !== ownAxes.folder
}

/** Drops steps one by one while the finding stays, so that the report shows only what it takes. */
async function dropSteps(found: RawFinding, here: Stage, there: Stage): Promise<RawFinding> {
  let best = found
  for (let at = found.one.steps.length - 2; at >= 0; at--) {
    const { steps } = best.one
    const rest = steps.filter((_, index) => index !== at)
    const name = steps[at]?.bind
    if (name !== undefined && JSON.stringify(rest).includes(`{${name}}`)) continue
    const one = { ...best.one, steps: rest }
    const tried = await runBoth(one, here, there).catch(ifUncompared)
    if (tried?.difference && isSameFinding(tried.difference, found.difference))
      best = { one, difference: found.difference, exchanges: tried.exchanges }
  }
  return best
}

/** The finding stands already, so nothing that ends a shorter try may lose it. */
function ifUncompared(error: unknown): undefined {
  const isKnown = error instanceof NotApplicable || error instanceof Disturbed || error instanceof BudgetSpent
  if (!isKnown && !(error instanceof CliFailure)) throw error
}

function isSameFinding(one: Difference, other: Difference): boolean {
  const plain = ({ part, here, there }: Difference) =>
    JSON.stringify([part, here, there]).replaceAll(/ at step \d+/g, '')
  return plain(one) === plain(other)
}

async function runBoth(one: ParityCase, here: Stage, there: Stage) {
  const exchanges = { here: [] as Exchange[], there: [] as Exchange[] }
  const theirs = await runCase(one, there, { keep: exchanges.there })
  const ours = await runCase(one, here, { keep: exchanges.here })
  return { here: ours, there: theirs, difference: compareObservations(one, ours, theirs), exchanges }
}
