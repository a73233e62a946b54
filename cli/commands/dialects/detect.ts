import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import { type Axis, axisNames, type Dialect } from '../../../client/protocol/wire/axes.js'
import { dialects, formatDialect } from '../../../client/protocol/wire/dialects.js'
import { CliFailure, exits } from '../../base/failure.js'
import { type CommandInput, ServiceCommand } from '../../base/service-command.js'
import { stopSignal } from '../../base/stop-signal.js'
import type { Named } from '../../base/svc-command.js'
import { detectForms } from '../../dialects/detect-forms.js'
import type { Finding } from '../../dialects/finding.js'
import { changeProfiles, requireProfile } from '../../target/profiles.js'
import type { TargetFlags } from '../../target/target.js'
import { table } from '../../terminal/print.js'
import { prose } from '../../terminal/prose.js'

export default class DialectsDetect extends ServiceCommand {
  static override summary = 'Detect the dialect of a service.'
  static override description =
    prose(`Only reads, unless --write allows a collection of its own, which it removes. What nothing tells is
taken from the named dialect that fits the rest best, and marked as assumed. With --write that is only what a login
that needs a code looks like.`)
  static override examples = [
    '<%= config.bin %> dialects detect http://127.0.0.1:4400',
    '<%= config.bin %> dialects detect --profile staging --write --save staging',
  ]
  static override args = { address: Args.string({ description: 'address of the service [default: the target]' }) }
  static override flags = {
    write: Flags.boolean({ description: 'make a collection to find out more, and remove it' }),
    save: Flags.string({ description: 'keep what was found in this profile', helpValue: 'profile' }),
  }

  protected override placeOf({ address }: Named): TargetFlags {
    return typeof address === 'string' ? { url: address } : {}
  }

  protected readonly access = ({ flags }: CommandInput) => (flags.write ? 'write' : 'read')

  async run() {
    const { args, flags } = await this.parse(DialectsDetect)
    const { url, key } = this.requireTarget(args.address === undefined ? flags : { ...flags, url: args.address })
    if (flags.write) await this.confirmWrite(flags, 'Make and remove a collection')
    const { findings, left } = await this.detect({ url, key, mayWrite: flags.write })
    const { dialect, assumed } = complete(findings)
    const text = formatDialect(dialect)
    const rows = axisNames().map((axis) => {
      const evidence = findings.find((finding) => finding.axis === axis)?.evidence
      return { axis, form: dialect[axis], evidence: evidence ?? 'assumed' }
    })

    this.log(table(rows))
    this.log(`\ndialect: ${text}`)
    const profile = flags.save ?? (await this.askProfile(flags))
    if (profile !== undefined) await this.save(profile, text)
    if (left !== null) process.exitCode = exits.failed
    return { url, dialect: text, forms: dialect, findings, assumed, left }
  }

  /** What is found, and the collection that was made for it and is still there. */
  private async detect(asked: { url: string; key: string | undefined; mayWrite: boolean }) {
    const stop = stopSignal()
    let left: string | null = null
    const onLeft = (name: string) => {
      left = name
      this.noteAlways(`The service did not remove "${name}": ${this.there(`svc collections delete ${name}`)}`)
    }
    try {
      const findings = await detectForms({ ...asked, fetch: this.guarded(), signal: stop.signal, onLeft })
      stop.signal.throwIfAborted()
      return { findings, left }
    } catch (error) {
      if (!stop.signal.aborted) throw error
      throw new CliFailure('INTERRUPTED', stop.exit(), 'Stopped; nothing was found out.')
    } finally {
      stop.release()
    }
  }

  /** Offers to keep it, where a profile is meant and there is a terminal. */
  private async askProfile(flags: { profile?: string; yes: boolean }): Promise<string | undefined> {
    if (flags.profile === undefined || !this.mayAsk(flags)) return undefined
    const { confirm } = await import('@inquirer/prompts')
    const isWanted = await confirm({ message: `Keep it in profile "${flags.profile}"?` }, { output: process.stderr })
    return isWanted ? flags.profile : undefined
  }

  private async save(name: string, dialect: string): Promise<void> {
    await changeProfiles((all) => ({
      ...all,
      profiles: { ...all.profiles, [name]: { ...requireProfile(name, all), dialect } },
    }))
    this.note(`kept in profile "${name}"`)
  }
}

/** What nothing shows is as in the named dialect that agrees most with what was found. */
function complete(findings: readonly Finding[]): { dialect: Dialect; assumed: Axis[] } {
  const agreement = (dialect: Dialect) => findings.filter(({ axis, form }) => dialect[axis] === form).length
  const [nearest = dialects.a] = Object.values<Dialect>(dialects).sort(
    (one, other) => agreement(other) - agreement(one),
  )
  const found: Partial<Dialect> = Object.fromEntries(findings.map(({ axis, form }) => [axis, form]))
  return {
    dialect: { ...nearest, ...found },
    assumed: axisNames().filter((axis) => !findings.some((finding) => finding.axis === axis)),
  }
}
