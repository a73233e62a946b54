/** Opens both sides of a run, and leaves nothing behind that can be removed. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Control } from '../../client/control.js'
import type { CliFailure } from '../base/failure.js'
import { openControl } from '../target/control.js'
import type { OwnEmulator } from '../target/emulator-of-run.js'
import { fetchDirectly } from '../target/fetch-directly.js'
import type { Target } from '../target/target.js'
import { shellWord } from '../terminal/shell-word.js'
import type { ParityCase } from './case.js'
import { cleanUp } from './clean.js'
import { levels } from './compare.js'
import { type Journal, newRun, openJournal } from './journal.js'
import { pruneRuns } from './kept-runs.js'
import { readAccepted } from './lock-file.js'
import { openPace } from './pace.js'
import { probe } from './probe.js'
import { type ParityReport, scoreOf } from './report.js'
import type { Stage } from './run-case.js'
import { type Outcome, type RawFinding, runParity } from './run-parity.js'
import { reportName, targetName } from './saved-names.js'
import { openSide } from './side.js'

interface ProveOptions {
  readonly target: Target
  readonly emulator: OwnEmulator
  readonly cases: readonly ParityCase[]
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
  const { target, emulator, cases, isReadOnly, signal } = options
  const now = new Date()
  const accepted = readAccepted(options.folder, now)
  const journal = openJournal(newRun(now))
  const { url, from, key, profile } = target
  save(journal, targetName, { url, profile: profile ?? null })
  const pace = openPace({
    ...{ maxCalls: options.maxCalls, perSecond: options.perSecond, signal, onWait: options.onWait },
    reserved: () => journal.open().filter(({ kind }) => kind === 'collection').length,
  })
  const side = { name: 'there', url, key, ownerKey: key, fetch: options.fetch } as const
  const there = openStage(journal, { ...openSide({ ...side, signal, pace }) }, signal, journal)
  let outcome: Outcome | undefined
  let facts: readonly string[] = []
  let dialect = ''
  let left: readonly { readonly kind: string; readonly name: string }[] = []
  try {
    const probed = await probe(there, { isReadOnly })
    facts = probed.facts
    const project = await openProject(openControl(emulator), emulator, { journal, key })
    dialect = project.dialect
    const local = openSide({
      name: 'here',
      url: emulator.url,
      ...project,
      fetch: fetchDirectly,
      signal: neverAborted(),
    })
    const here = openStage(journal, local, neverAborted())
    outcome = await runParity(cases, { here, there, can: probed.can, dialect })
  } finally {
    // A new signal, because Ctrl-C must not stop the clean-up.
    left = await cleanUp({ journal, there: openSide({ ...side, signal: neverAborted() }), emulator })
  }
  const { cases: results, findings, advice, stopped } = outcome
  const report: ParityReport = {
    ...{ run: journal.run, at: now.toISOString(), url, from, dialect, calls: pace.calls, ...scoreOf(results), facts },
    cases: results,
    findings: findings.map((finding) => describe(finding, outcome, accepted)).toSorted(byLevel),
    advice: advice
      ? {
          ...{ dialect: advice.dialect, forms: advice.forms, mends: advice.mends.size },
          command: `svc project set dialect=${shellWord(advice.dialect)}`,
        }
      : null,
    left: left.map(({ kind, name }) => `${kind} ${name}`),
    stopped: stoppedWords(stopped, signal),
  }
  save(journal, reportName, report)
  pruneRuns()
  return { ...report, exit: stopped?.exit }
}

function stoppedWords(stopped: CliFailure | undefined, { aborted }: AbortSignal): string | null {
  return aborted ? 'You stopped the run.' : (stopped?.message ?? null)
}

function save({ folder }: Journal, name: string, value: object): void {
  writeFileSync(join(folder, name), `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 })
}

function neverAborted(): AbortSignal {
  return new AbortController().signal
}

function openStage({ run }: Journal, side: Stage['side'], signal: AbortSignal, journal?: Stage['journal']): Stage {
  let number = 0
  return { side, run, signal, fixtures: new Map(), next: () => ++number, ...(journal ? { journal } : {}) }
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
  accepted: ReturnType<typeof readAccepted>,
): ParityReport['findings'][number] {
  const { id, axis, change } = one
  const mendedBy = advice?.mends.get(id) ?? null
  const known = accepted.find((entry) => entry.id === id && entry.part === difference.part)
  return {
    ...{ id, axis, ...difference, mendedBy, exchanges },
    change: mendedBy !== null ? null : (change ?? 'Do not rely on this in the app.'),
    accepted: known ? { reason: known.reason, until: known.until } : null,
  }
}

function byLevel(one: { readonly level: (typeof levels)[number] }, other: typeof one): number {
  return levels.indexOf(one.level) - levels.indexOf(other.level)
}
