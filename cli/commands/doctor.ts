import { dirname, join } from 'node:path'
import * as Flags from '@oclif/core/flags'
import { describeFailure, exits } from '../base/failure.js'
import { dataFlag } from '../base/here.js'
import { type CommandInput, SvcCommand } from '../base/svc-command.js'
import { devFlags } from '../dev/dev-flags.js'
import { examine, findFolderHolder } from '../doctor/examine.js'
import type { Finding, Patient } from '../doctor/finding.js'
import { readEmulatorFile, stateFolderHere } from '../target/emulator-file.js'
import { isStillThere } from '../target/emulator-health.js'
import { readAddress } from '../target/target.js'
import { isAccepted } from '../target/trust.js'
import { onStdout } from '../terminal/colour.js'
import { prose } from '../terminal/prose.js'
import { printableLines } from '../terminal/text-width.js'

export default class Doctor extends SvcCommand {
  static override summary = 'Check the emulator of this folder and suggest fixes.'
  static override description =
    prose(`Checks Node, versions, the port, the state folder and its lock, the database, the disk, the clock, indexes, settings, keys in
.env files and orphaned processes. The emulator need not run. Nothing is changed without --repair.

Exits with 10 if something is wrong. Warnings alone do not count.`)
  static override examples = [
    '<%= config.bin %> doctor',
    '<%= config.bin %> doctor --repair --json',
    '<%= config.bin %> doctor --database-url postgres://localhost/app',
  ]
  static override flags = {
    data: dataFlag,
    'database-url': Flags.string({
      description: 'PostgreSQL server to check [default: the one in svc.json]',
      helpValue: 'postgres://…',
    }),
    'database-listen-url': devFlags['database-listen-url'],
    repair: Flags.boolean({ description: 'apply the safe fixes' }),
  }

  protected readonly access = ({ flags }: CommandInput) => (flags.repair ? 'write' : 'read')

  async run() {
    const { flags } = await this.parse(Doctor)
    const patient = await this.patientAt(stateFolderHere(flags.data), {
      url: flags['database-url'],
      directUrl: flags['database-listen-url'],
    })
    const examined = await examine(patient)
    const width = Math.max(...examined.map(({ check }) => check.length))
    const checks = []
    for (const { check, said, findings } of examined) {
      const treated = []
      for (const finding of findings) treated.push(await treat(finding, flags.repair))
      this.log(`${mark(treated)} ${check.padEnd(width)}  ${printableLines(said)}`)
      for (const one of treated) for (const line of formatFinding(one)) this.log(`${' '.repeat(width + 4)}${line}`)
      checks.push({ check, said, findings: treated })
    }
    const isWell = checks.every(({ findings }) => !findings.some(isStillWrong))
    if (!isWell) process.exitCode = exits.different
    const elsewhere = this.namedElsewhere(patient)
    if (elsewhere !== null) {
      this.noteAlways(`Checked the emulator of ${patient.folder}, not ${elsewhere} from SVC_URL.`)
    }
    return { folder: patient.folder, url: patient.emulator?.url ?? null, elsewhere, isWell, checks }
  }

  /** Returns the service in `SVC_URL`, unless it is the emulator of the folder. */
  private namedElsewhere({ recorded, env: { SVC_URL: url } }: Patient): string | null {
    if (!url) return null
    const named = readAddress(url, 'SVC_URL')
    return named === recorded?.url ? null : named
  }

  private async patientAt(folder: string, database: Patient['database']): Promise<Patient> {
    const path = join(folder, 'emulator.json')
    const recorded = readEmulatorFile(path)
    const mayBeAsked = recorded !== undefined && isAccepted({ path, url: recorded.url })
    const emulator = mayBeAsked && (await isStillThere(recorded)) ? recorded : undefined
    const holder = await findFolderHolder(folder)
    return {
      ...{ folder, recorded, emulator, holder },
      app: dirname(folder),
      version: this.config.version,
      database,
      env: process.env,
    }
  }
}

interface Treated extends Omit<Finding, 'repair'> {
  /** Says what was repaired. */
  readonly repaired: string | null
}

async function treat({ repair, ...finding }: Finding, isWanted: boolean): Promise<Treated> {
  if (!repair || !isWanted) return { ...finding, repaired: null }
  try {
    return { ...finding, repaired: await repair() }
  } catch (error) {
    const { message } = describeFailure(error)
    return { ...finding, message: `${finding.message} Could not repair it: ${message}`, repaired: null }
  }
}

function isStillWrong({ level, repaired }: Treated): boolean {
  return level === 'wrong' && repaired === null
}

function mark(findings: readonly Treated[]): string {
  if (findings.some(isStillWrong)) return onStdout.red('✗')
  return findings.some(({ repaired }) => repaired === null) ? onStdout.yellow('!') : onStdout.green('✓')
}

function formatFinding({ message, remedy, repaired }: Treated): string[] {
  return [printableLines(message), onStdout.dim(printableLines(repaired === null ? `→ ${remedy}` : `✓ ${repaired}`))]
}
