import { writeFile } from 'node:fs/promises'
import * as Flags from '@oclif/core/flags'
import { exits } from '../../base/failure.js'
import { emulatorOfRunOrHere, noEmulator } from '../../base/here.js'
import { type CommandInput, ServiceCommand } from '../../base/service-command.js'
import { stopSignal } from '../../base/stop-signal.js'
import { estimate } from '../../parity/estimate.js'
import { unfinishedRuns } from '../../parity/journal.js'
import { htmlReport, junitReport } from '../../parity/report-files.js'
import { describeReport } from '../../parity/report-text.js'
import type { Proved } from '../../parity/session.js'
import { openControl } from '../../target/control.js'
import type { OwnEmulator } from '../../target/emulator-of-run.js'
import { noOtherService } from '../../target/target.js'
import { counted } from '../../terminal/print.js'
import { prose } from '../../terminal/prose.js'

export default class ParityRun extends ServiceCommand {
  static override summary = 'Check that another service answers as your emulator does.'
  static override description =
    prose(`Sends the same requests to a throw-away project of your emulator and to the service, and compares the answers. Makes
collections parity_<run>_… and users parity+<run>@example.com at the service, and touches nothing else there. Deletes the
collections at the end and on Ctrl-C. Users cannot be deleted and stay.

A file parity/*.json in this folder adds cases of your own. parity.lock.json lists differences that you accept.`)
  static override examples = [
    '<%= config.bin %> parity run --against staging',
    '<%= config.bin %> parity run --against staging --group filters,paging --rate 2 --yes',
    '<%= config.bin %> parity run --against staging --check --junit parity.xml --yes',
  ]
  static override flags = {
    against: Flags.string({
      description: 'profile of the service',
      helpValue: 'profile',
      exclusive: ['profile', 'url'],
    }),
    group: Flags.string({ description: 'axes or subjects to compare, separated by commas [default: all]' }),
    'from-requests': Flags.boolean({
      description: 'also send what your app sent, by the request log, with values replaced',
    }),
    'max-calls': Flags.integer({ description: 'maximum number of requests to the service', default: 1_000, min: 20 }),
    rate: Flags.integer({ description: 'maximum number of requests per second', default: 5, min: 1, max: 1_000 }),
    'read-only': Flags.boolean({ description: 'only read, which leaves out most cases' }),
    check: Flags.boolean({ description: 'exit with 10 if a difference is not accepted' }),
    junit: Flags.string({ description: 'write a JUnit report to this file', helpValue: 'file' }),
    html: Flags.string({ description: 'write a report for the browser to this file', helpValue: 'file' }),
  }

  protected override readonly isOther = true
  protected readonly access = ({ flags }: CommandInput) => (flags['read-only'] === true ? 'read' : 'write')

  async run() {
    const { flags } = await this.parse(ParityRun)
    const there = { ...flags, profile: flags.against ?? flags.profile }
    const emulator = emulatorOfRunOrHere(undefined)
    if (!emulator) throw noEmulator()
    const target = this.requireTarget(there)
    if (target.url === emulator.url && flags.url === undefined) throw noOtherService()
    const isReadOnly = flags['read-only']
    const { cases, app } = await chooseAll(emulator, flags)
    const { calls, collections, users } = estimate(cases, isReadOnly)
    for (const run of unfinishedRuns())
      this.noteAlways(`Run ${run} left something behind. Remove it: svc parity clean ${run}`)
    this.note(
      `Key: ${target.keyFrom ?? 'none'}. About ${counted(Math.min(calls, flags['max-calls']), 'call')}, ${counted(collections, 'collection')} and up to ${counted(users, 'user')}.`,
    )
    if (users > 0) this.noteAlways(`The service cannot delete users, so up to ${counted(users, 'user')} will stay.`)
    if (!isReadOnly) await this.confirmWrite({ ...there, yes: flags.yes }, 'Run parity cases', { isAlwaysAsked: true })
    const { proveParity } = await import('../../parity/session.js')
    const stop = stopSignal()
    try {
      const report = await proveParity({
        ...{ target, emulator, cases, app, isReadOnly, folder: process.cwd(), signal: stop.signal },
        ...{ fetch: this.guarded(), maxCalls: flags['max-calls'], perSecond: flags.rate },
        onWait: (seconds) => this.note(`The service limits requests. Waiting ${counted(seconds, 'second')}.`),
      })
      if (flags.junit !== undefined) await writeFile(flags.junit, junitReport(report))
      if (flags.html !== undefined) await writeFile(flags.html, htmlReport(report))
      this.log(describeReport(report))
      const exit = stop.signal.aborted ? stop.exit() : chooseExit(report, flags.check)
      if (exit !== undefined) process.exitCode = exit
      return report
    } finally {
      stop.release()
    }
  }
}

function chooseExit({ exit, findings }: Proved, isChecked: boolean): number | undefined {
  const isNew = isChecked && findings.some(({ accepted }) => accepted === null)
  return exit ?? (isNew ? exits.different : undefined)
}

/** Returns the cases of the run, those of the app's own requests first. */
async function chooseAll(
  emulator: OwnEmulator,
  flags: { readonly group: string | undefined; readonly 'from-requests': boolean },
) {
  const { readAppShapes, makeCases } = await import('../../parity/app-requests.js')
  const { chooseCases } = await import('../../parity/choose-cases.js')
  const sendsOwn = flags['from-requests']
  const shapes = await readAppShapes(openControl(emulator), emulator.projectId, sendsOwn)
  const own = sendsOwn ? makeCases(shapes) : []
  const app = { shapes, cases: new Map(own.map(({ id, shape }) => [id, shape])) }
  return { cases: [...own, ...chooseCases(process.cwd(), flags.group)], app }
}
