/** Finds what earlier runs saved. */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isObject, type JsonObject, objectIn, parseJson } from '../../client/protocol/model/json.js'
import { CliFailure, exits } from '../base/failure.js'
import { isRun, type Journal, openJournal, runsFolder, unfinishedRuns } from './journal.js'
import { reportName, targetName } from './saved-names.js'

const mostKept = 20

/** @throws {CliFailure} if there is no such run */
export function requireRun(run: string): {
  readonly journal: Journal
  readonly url: string
  readonly profile: string | null
} {
  const { url, profile } = readFileOfRun(run, targetName)
  if (typeof url !== 'string') throw noRun(run)
  return { journal: openJournal(run), url, profile: typeof profile === 'string' ? profile : null }
}

interface Advised {
  readonly run: string
  readonly advice: { readonly dialect: string } | undefined
}

/** Reads the advice of a run, or of the newest with a report. @throws {CliFailure} if there is none */
export function requireReport(named: string | undefined): Advised {
  const run = named ?? runs().findLast((one) => existsSync(join(runsFolder(), one, reportName)))
  if (run === undefined) throw noRun()
  const report = readFileOfRun(run, reportName)
  if (!isObject(report.advice)) {
    if (report.run !== run) throw noRun(run)
    return { run, advice: undefined }
  }
  return { run, advice: { dialect: String(report.advice.dialect) } }
}

/** A dialect that `svc parity apply` has set, for `svc undo`. */
export interface Applied {
  readonly run: string
  readonly project: string
  readonly before: string
  readonly dialect: string
  readonly at: string
}

const appliedName = 'applied.json'

export function saveApplied(applied: Applied): void {
  writeFileSync(join(runsFolder(), appliedName), `${JSON.stringify(applied)}\n`, { mode: 0o600 })
}

/** Returns undefined if nothing was applied to this project since the last undo. */
export function readApplied(project: string): Applied | undefined {
  const file = join(runsFolder(), appliedName)
  const found = existsSync(file) ? objectIn(parseJson(readFileSync(file, 'utf8'))) : {}
  const { run, before, dialect, at } = found
  const isWhole = [run, before, dialect, at].every((one) => typeof one === 'string') && found.project === project
  return isWhole
    ? { run: String(run), project, before: String(before), dialect: String(dialect), at: String(at) }
    : undefined
}

export function forgetApplied(): void {
  rmSync(join(runsFolder(), appliedName), { force: true })
}

/** Deletes the oldest runs, except those that left something behind. */
export function pruneRuns(): void {
  const unfinished = unfinishedRuns()
  const finished = runs().filter((run) => !unfinished.includes(run))
  for (const run of finished.slice(0, -mostKept)) rmSync(join(runsFolder(), run), { recursive: true, force: true })
}

/** Lists runs, oldest first. Their names begin with the time. */
function runs(): string[] {
  const folder = runsFolder()
  return existsSync(folder) ? readdirSync(folder).filter(isRun).sort() : []
}

function readFileOfRun(run: string, name: string): JsonObject {
  const file = join(runsFolder(), run, name)
  if (!isRun(run) || !existsSync(file)) throw noRun(run)
  return objectIn(parseJson(readFileSync(file, 'utf8')))
}

function noRun(run?: string): CliFailure {
  const message = run === undefined ? 'There is no parity run yet.' : `No parity run "${run}" in this folder.`
  const known = runs().slice(-3)
  const hint = known.length > 0 ? `The newest runs: ${known.join(', ')}` : 'Start one: svc parity run --help'
  return new CliFailure('NOT_FOUND', exits.notFound, message, hint)
}
