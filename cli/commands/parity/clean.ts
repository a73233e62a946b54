import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import { misuse } from '../../base/failure.js'
import { emulatorOfRunOrHere } from '../../base/here.js'
import { ServiceCommand } from '../../base/service-command.js'
import { cleanUp } from '../../parity/clean.js'
import { requireRun } from '../../parity/kept-runs.js'
import { openCleaningPace } from '../../parity/pace.js'
import { openSide } from '../../parity/side.js'
import { counted } from '../../terminal/print.js'
import { prose } from '../../terminal/prose.js'

export default class ParityClean extends ServiceCommand {
  static override summary = 'Remove what a stopped parity run left behind.'
  static override description =
    prose(`Deletes the collections of the run at the service, and its throw-away project at the emulator. A run removes them
itself, unless its process is killed. Users cannot be deleted, so they are only listed.`)
  static override examples = [
    '<%= config.bin %> parity clean m1x2y3z4abc',
    '<%= config.bin %> parity clean m1x2y3z4abc --against staging --yes',
  ]
  static override args = { run: Args.string({ description: 'run to clean up', required: true }) }
  static override flags = {
    against: Flags.string({
      description: 'profile of the service [default: the one of the run]',
      helpValue: 'profile',
      exclusive: ['profile', 'url'],
    }),
  }

  protected override readonly isOther = true
  protected readonly access = 'write'

  async run() {
    const { args, flags } = await this.parse(ParityClean)
    const { journal, url, profile } = requireRun(args.run)
    const named = flags.against ?? flags.profile
    const there = { ...flags, profile: named ?? (flags.url === undefined ? (profile ?? undefined) : undefined) }
    const asked = there.profile === undefined && flags.url === undefined ? { ...there, url } : there
    const target = this.requireTarget(asked)
    if (target.url !== url) throw misuse(`Run ${args.run} was against ${url}, not ${target.url}.`)
    const entries = journal.open()
    const collections = entries.filter(({ kind }) => kind === 'collection')
    await this.confirmWrite(
      { ...asked, yes: flags.yes },
      `Delete ${counted(collections.length, 'collection')} of run ${args.run}`,
    )
    const { key } = target
    const pace = openCleaningPace({ perSecond: 5, onWait: () => {} })
    const side = openSide({ name: 'there', url, key, ownerKey: key, fetch: this.guarded(), pace })
    const left = await cleanUp({ journal, there: side, emulator: emulatorOfRunOrHere(undefined) })
    this.note(`Removed ${counted(entries.length - left.length, 'entry').replace('entrys', 'entries')}.`)
    for (const { kind, name } of left) this.noteAlways(`Left behind: ${kind} ${name}`)
    return { run: args.run, removed: entries.length - left.length, left }
  }
}
