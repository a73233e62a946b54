/** Opens both sides of a run, and leaves nothing behind that can be removed. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Control } from '../../client/control.js'
import type { ParityReport } from '../../client/protocol/control/parity.js'
import { calculateScore, findAcceptance, levels } from '../../client/protocol/model/parity.js'
import { openControl } from '../target/control.js'
import type { OwnEmulator } from '../target/emulator-of-run.js'
import { fetchDirectly } from '../target/fetch-directly.js'
import type { Target } from '../target/target.js'
import { shellWord } from '../terminal/shell-word.js'
import { type AppShape, findUses } from './app-requests.js'
import type { ParityCase } from './case.js'
import { cleanUp } from './clean.js'
import type { Advice } from './explain.js'
import { type Entry, type Journal, newRun, openJournal } from './journal.js'
import { pruneRuns } from './kept-runs.js'
import { readAccepted } from './lock-file.js'
import { openCleaningPace, openPace } from './pace.js'
import { probe } from './probe.js'
import type { Stage } from './run-case.js'
import { type CaseResult, type Outcome, type RawFinding, runParity, stoppedByUser } from './run-parity.js'
import { reportName, targetName } from './saved-names.js'
import { openSide } from './side.js'

interface AppTraffic {
  readonly shapes: readonly AppShape[]
  readonly cases: ReadonlyMap<string, AppShape>
}

interface ProveOptions {
  readonly target: Target
  readonly emulator: OwnEmulator
  readonly cases: readonly ParityCase[]
  /** Requests of the app, with their cases. */
  readonly app: AppTraffic
  readonly isReadOnly: boolean
  /** Folder of `parity.lock.json`. */
  readonly folder: string
  readonly fetch: typeof globalThis.fetch
  readonly signal: AbortSignal
  readonly maxCalls: number
  readonly perSecond: number
  readonly onWait: (seconds: number) => void
}

/** The report, and the exit code of what stopped the run. */
export type Proved = ParityReport & { readonly exit: number | undefined }

export async function proveParity(options: ProveOptions): Promise<Proved> {
  const { target, emulator, signal, perSecond, onWait } = options
  const now = new Date()
  const accepted = readAccepted(options.folder, now)
  const journal = openJournal(newRun(now))
  const { url, from, key, profile } = target
  save(journal, targetName, { url, profile: profile ?? null })
  const reserved = () => journal.open().filter(({ kind }) => kind === 'collection').length
  const pace = openPace({ maxCalls: options.maxCalls, perSecond, signal, reserved, onWait })
  const cleaning = openCleaningPace({ perSecond, onWait })
  const side = { name: 'there', url, key, ownerKey: key, fetch: options.fetch } as const
  const there: Stage = { ...openStage(journal, openSide({ ...side, pace }), signal), journal }
  let compared: Compared
  let left: readonly Entry[] = []
  try {
    compared = await compareAll(options, { there, journal })
  } finally {
    left = await cleanUp({ journal, there: openSide({ ...side, pace: cleaning }), emulator })
  }
  const { outcome, facts, dialect } = compared
  const { cases, findings, advice, stopped } = outcome
  const report: ParityReport = {
    ...{ run: journal.run, at: now.toISOString(), url, from, dialect, facts, cases, ...calculateScore(cases) },
    calls: pace.calls + cleaning.calls,
    findings: findings
      .map((finding) => describe(finding, outcome, { accepted, app: options.app, now }))
      .toSorted(worstFirst),
    requests: countTried(options.app, cases),
    advice: advice ? describeAdvice(advice) : null,
    left: left.map(({ kind, name }) => `${kind} ${name}`),
    stopped: signal.aborted ? stoppedByUser : (stopped?.message ?? null),
  }
  save(journal, reportName, report)
  pruneRuns()
  return { ...report, exit: stopped?.exit }
}

interface Compared {
  readonly outcome: Outcome
  readonly facts: readonly string[]
  /** Dialect of the emulator's project. */
  readonly dialect: string
}

/** Probes the service, opens a throw-away project, and runs the cases. */
async function compareAll(
  { target, emulator, cases, isReadOnly, signal }: ProveOptions,
  { there, journal }: { readonly there: Stage; readonly journal: Journal },
): Promise<Compared> {
  try {
    const { can, facts } = await probe(there, { isReadOnly })
    const { key } = target
    const { dialect, ...keys } = await openProject(openControl(emulator), emulator, { journal, key })
    const local = openSide({ name: 'here', url: emulator.url, ...keys, fetch: fetchDirectly })
    const here = openStage(journal, local, new AbortController().signal)
    return { outcome: await runParity(cases, { here, there, can, dialect }), facts, dialect }
  } catch (error) {
    // Ctrl-C during the probe. Later, the run ends with what it has.
    if (!signal.aborted) throw error
    const untried = cases.map(({ id, axis }) => ({ id, axis, result: 'not tried', why: stoppedByUser }) as const)
    return { outcome: { cases: untried, findings: [], advice: undefined, stopped: undefined }, facts: [], dialect: '' }
  }
}

function describeAdvice({ mends, ...advice }: Advice): ParityReport['advice'] {
  return { ...advice, mends: mends.size, command: `svc project set dialect=${shellWord(advice.dialect)}` }
}

function save({ folder }: Journal, name: string, value: object): void {
  writeFileSync(join(folder, name), `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 })
}

function openStage({ run }: Journal, side: Stage['side'], signal: AbortSignal): Stage {
  let number = 0
  return { side, run, signal, fixtures: new Map(), next: () => ++number }
}

interface Project {
  readonly key: string
  readonly ownerKey: string
  readonly dialect: string
}

/** Makes a project with the settings of the folder's own, so that no case touches its data. */
async function openProject(
  { projects }: Control,
  { projectId }: OwnEmulator,
  { journal, key }: { readonly journal: Journal; readonly key: string | undefined },
): Promise<Project> {
  const { settings } = await projects.get({ project: projectId })
  const { idp: _, ...shown } = settings
  const own = { ...shown, rateLimit: 'off', requestLog: false } as const
  const name = `parity ${journal.run}`
  journal.add({ kind: 'project', name })
  const { apiKey, secretKey } = await projects.create({ name, settings: own })
  // Sends the same kind of key to both sides.
  const isSecret = key?.startsWith('svc_secret_') === true
  return { key: isSecret ? secretKey : apiKey, ownerKey: secretKey, dialect: settings.dialect }
}

function describe(
  { one, difference, exchanges }: RawFinding,
  { advice }: Outcome,
  {
    accepted,
    app,
    now,
  }: { readonly accepted: ReturnType<typeof readAccepted>; readonly app: AppTraffic; readonly now: Date },
): ParityReport['findings'][number] {
  const { id, axis, change } = one
  const mendedBy = advice?.mends.get(id) ?? null
  const own = app.cases.get(id)
  const uses = own ? [{ method: own.method, path: own.path, requests: own.requests }] : findUses(one, app.shapes)
  return {
    ...{ id, axis, ...difference, mendedBy, exchanges, uses },
    change: mendedBy !== null ? null : (change ?? 'Do not rely on this in the app.'),
    accepted: findAcceptance(accepted, { id, part: difference.part }, now),
  }
}

/** Counts requests of the app that a case of their own compared. Null if the log has none. */
function countTried({ shapes, cases }: AppTraffic, results: readonly CaseResult[]): ParityReport['requests'] {
  const all = shapes.reduce((sum, { requests }) => sum + requests, 0)
  if (all === 0) return null
  const compared = results.filter(({ result }) => result === 'same' || result === 'differs')
  return { all, tried: compared.reduce((sum, { id }) => sum + (cases.get(id)?.requests ?? 0), 0) }
}

type Finding = ParityReport['findings'][number]

/** Sorts by level, then by the requests of the app that a difference concerns. */
function worstFirst(one: Finding, other: Finding): number {
  const used = ({ uses }: Finding) => uses.reduce((sum, { requests }) => sum + requests, 0)
  return levels.indexOf(one.level) - levels.indexOf(other.level) || used(other) - used(one)
}
