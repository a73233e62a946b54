import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import { type Axis, axisNames, type Dialect } from '../../../client/protocol/wire/axes.js'
import { dialects, formatDialect } from '../../../client/protocol/wire/dialects.js'
import { CliFailure, exits } from '../../base/failure.js'
import { ServiceCommand } from '../../base/service-command.js'
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
    prose(`Only reads, and only collections that the service lists. Trusts the header svc-dialect if the service sends it. Otherwise,
detects the forms that responses show, and assumes the others from the closest named dialect. Assumed forms are marked, and not
saved. Fails if the responses show fewer than a third of the forms.`)
  static override examples = [
    '<%= config.bin %> dialects detect http://127.0.0.1:4400',
    '<%= config.bin %> dialects detect --profile staging --collection posts --save staging',
  ]
  static override args = {
    address: Args.string({ description: 'address of the service [default: the current target]' }),
  }
  static override flags = {
    collection: Flags.string({
      description: 'existing collection to read, if the service does not list any; some services create missing ones',
    }),
    save: Flags.string({ description: 'profile to save the detected forms in', helpValue: 'profile' }),
  }

  protected override targetOfArgs({ address }: Named): TargetFlags {
    return typeof address === 'string' ? { url: address } : {}
  }

  protected readonly access = 'read'

  async run() {
    const { args, flags } = await this.parse(DialectsDetect)
    const { url, key } = this.requireTarget(args.address === undefined ? flags : { ...flags, url: args.address })
    const findings = await this.detect({ url, key, collection: flags.collection })
    if (findings.length * 3 < axisNames().length) throw tooLittleSeen(url, findings)
    const { forms, assumed } = complete(findings)
    const dialect = assumed.length === 0 ? formatDialect(forms) : formatFindings(findings)
    const rows = axisNames().map((axis) => {
      const evidence = findings.find((finding) => finding.axis === axis)?.evidence
      return { axis, form: forms[axis], evidence: evidence ?? 'assumed' }
    })

    this.log(table(rows))
    this.log(`\ndialect: ${dialect}`)
    const profile = flags.save ?? (await this.askProfile(flags))
    if (profile !== undefined) await this.save(profile, dialect)
    return { url, dialect, forms, findings, assumed }
  }

  private async detect(asked: { url: string; key: string | undefined; collection: string | undefined }) {
    const stop = stopSignal()
    try {
      const findings = await detectForms({ ...asked, fetch: this.guarded(), signal: stop.signal })
      stop.signal.throwIfAborted()
      return findings
    } catch (error) {
      if (!stop.signal.aborted) throw error
      throw new CliFailure('INTERRUPTED', stop.exit(), 'Stopped. Nothing was detected.')
    } finally {
      stop.release()
    }
  }

  /** Offers to save the dialect in the profile of --profile. */
  private async askProfile(flags: { profile?: string; yes: boolean }): Promise<string | undefined> {
    if (flags.profile === undefined || !this.mayAsk(flags)) return undefined
    const { confirm } = await import('@inquirer/prompts')
    const isWanted = await confirm({ message: `Save it in profile "${flags.profile}"?` }, { output: process.stderr })
    return isWanted ? flags.profile : undefined
  }

  private async save(name: string, dialect: string): Promise<void> {
    await changeProfiles((all) => ({
      ...all,
      profiles: { ...all.profiles, [name]: { ...requireProfile(name, all), dialect } },
    }))
    this.note(`Saved in profile "${name}".`)
  }
}

/** Completes the detected forms from the closest named dialect. */
function complete(findings: readonly Finding[]): { forms: Dialect; assumed: Axis[] } {
  const agreement = (dialect: Dialect) => findings.filter(({ axis, form }) => dialect[axis] === form).length
  const [nearest = dialects.a] = Object.values<Dialect>(dialects).sort(
    (one, other) => agreement(other) - agreement(one),
  )
  const seen: Partial<Dialect> = Object.fromEntries(findings.map(({ axis, form }) => [axis, form]))
  return {
    forms: { ...nearest, ...seen },
    assumed: axisNames().filter((axis) => !findings.some((finding) => finding.axis === axis)),
  }
}

/** Lists the detected forms, because the name of a dialect would include assumed ones. */
function formatFindings(findings: readonly Finding[]): string {
  return findings.map(({ axis, form }) => `${axis}=${form}`).join(', ')
}

function tooLittleSeen(url: string, findings: readonly Finding[]): CliFailure {
  const seen = findings.length === 0 ? '' : `: ${formatFindings(findings)}`
  const message = `The responses of ${url} show only ${findings.length} of ${axisNames().length} forms${seen}.`
  const hint = 'Name a collection with documents: --collection posts. Or name the dialect: --dialect b'
  return new CliFailure('TOO_LITTLE_SEEN', exits.failed, message, hint)
}
