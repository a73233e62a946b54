/** Reads what `svc parity run` saved in the state folder, and writes the differences that you accept. */
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type Accepted, type ParityReport, parityLock, parityReport } from '../../../client/protocol/control/parity.js'
import { SvcError } from '../../../client/protocol/model/errors.js'
import { parseJson } from '../../../client/protocol/model/json.js'
import { findAcceptance, latestEnd, parityLockName, toDay } from '../../../client/protocol/model/parity.js'
import { createSemaphore } from '../../core/concurrency/semaphore.js'
import type { Backend } from '../../core/context.js'
import { replaceFile } from '../../facts/replace-file.js'
import type { ControlHandlers } from './control-routes.js'

const mostRuns = 20

export const parity: ControlHandlers['parity'] = {
  async list({ about }) {
    const folder = runsFolder(about)
    const names = folder !== undefined && existsSync(folder) ? await readdir(folder) : []
    // Names sort by time.
    const newest = names.filter(isRun).sort().reverse().slice(0, mostRuns)
    const reports = await Promise.all(newest.map((run) => readReport(about, run)))
    const withAccepted = reports.some(Boolean) ? await openLock(about) : undefined
    return { runs: reports.flatMap((report) => (report && withAccepted ? [summarize(withAccepted(report))] : [])) }
  },
  async get({ about }, { params: { run } }) {
    const report = isRun(run) ? await readReport(about, run) : undefined
    if (!report) throw new SvcError('NOT_FOUND', `There is no parity run "${run}".`)
    const withAccepted = await openLock(about)
    return { report: withAccepted(report), lockFile: lockFile(about) }
  },
  async accept({ about }, { request }) {
    // The lock file is about the calendar of the reader, whatever the project's clock says.
    const now = new Date()
    const [today, latest] = [toDay(now), latestEnd(now)]
    if (request.until < today || request.until > latest)
      throw new SvcError('VALIDATION_ERROR', `"until" must be from ${today} to ${latest}.`)
    return changes.run(async () => {
      const file = lockFile(about)
      const { accepted } = await readLock(about)
      const others = accepted.filter(({ id, part }) => id !== request.id || part !== request.part)
      await replaceFile(file, `${JSON.stringify({ accepted: [...others, request] }, null, 2)}\n`)
      return { lockFile: file }
    })
  },
}

/** Changes the lock file one after another, so that none is lost. */
const changes = createSemaphore(1)

type About = Backend['about']

function runsFolder({ stateFolder }: About): string | undefined {
  return stateFolder === undefined ? undefined : join(stateFolder, 'parity')
}

/** @throws {SvcError} if the emulator has no folder */
function lockFile({ stateFolder }: About): string {
  if (stateFolder === undefined) throw new SvcError('NOT_FOUND', 'This emulator has no folder.')
  return join(dirname(stateFolder), parityLockName)
}

function isRun(name: string): boolean {
  return /^[a-z0-9]{6,20}$/.test(name)
}

/** Returns undefined for a run that has not ended, and for a file that is not a report. */
async function readReport(about: About, run: string): Promise<ParityReport | undefined> {
  const folder = runsFolder(about)
  if (folder === undefined) return undefined
  const text = await readFile(join(folder, run, 'report.json'), 'utf8').catch(() => 'null')
  const { data } = parityReport.safeParse(parseJson(text))
  return data?.run === run ? data : undefined
}

/** @throws {SvcError} if the file is not valid, so that it is never overwritten */
async function readLock(about: About): Promise<{ readonly accepted: readonly Accepted[] }> {
  const file = lockFile(about)
  if (!existsSync(file)) return { accepted: [] }
  const { data } = parityLock.safeParse(parseJson(await readFile(file, 'utf8')))
  if (data) return data
  throw new SvcError('CONFLICT', `${parityLockName} is invalid. Fix it, then try again.`)
}

/** Returns a function that marks the findings of a report that `parity.lock.json` accepts today. */
async function openLock(about: About): Promise<(report: ParityReport) => ParityReport> {
  const { accepted } = await readLock(about)
  const now = new Date()
  return (report) => {
    const findings = report.findings.map((finding) => ({
      ...finding,
      accepted: findAcceptance(accepted, finding, now),
    }))
    return { ...report, findings }
  }
}

function summarize({ run, at, url, score, coverage, findings }: ParityReport) {
  const breaks = findings.filter(({ level, accepted }) => level === 'breaks' && accepted === null).length
  return { run, at, url, score, coverage, breaks }
}
