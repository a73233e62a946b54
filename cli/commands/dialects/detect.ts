import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import { axisNames } from '../../../client/protocol/wire/axes.js'
import { CliFailure } from '../../base/failure.js'
import { ServiceCommand } from '../../base/service-command.js'
import { stopSignal } from '../../base/stop-signal.js'
import type { Named } from '../../base/svc-command.js'
import { completeDialect } from '../../dialects/complete.js'
import { detectForms } from '../../dialects/detect-forms.js'
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
    const { forms, assumed, text: dialect } = completeDialect(url, findings)
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
