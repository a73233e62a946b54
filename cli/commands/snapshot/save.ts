import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import { gitPlace } from '../../snapshots/git-place.js'
import { SnapshotCommand } from '../../snapshots/snapshot-command.js'
import { describeContent } from '../../snapshots/words.js'

export default class SnapshotSave extends SnapshotCommand {
  static override summary = 'Save the state of the emulator as a snapshot.'
  static override description =
    'Includes documents, collections, users, sessions, files, accounts of the built-in provider and settings. Leaves out keys and mail.'
  static override examples = [
    '<%= config.bin %> snapshot save before-checkout',
    '<%= config.bin %> snapshot save demo --replace',
  ]
  static override args = {
    name: Args.string({ description: 'name of the snapshot [default: the current time]' }),
  }
  static override flags = { replace: Flags.boolean({ description: 'replace an existing snapshot' }) }

  protected override readonly whereNameIsTaken = () => 'Choose another name, or replace it with --replace.'

  protected readonly access = 'write'

  async run() {
    const { args, flags } = await this.parse(SnapshotSave)
    const { snapshots, project } = this.snapshots(flags)
    const place = await gitPlace()
    const snapshot = await snapshots.save({ project, name: args.name, replace: flags.replace, ...place })

    this.note(`Saved "${snapshot.name}": ${describeContent(snapshot)}.`)
    return snapshot
  }
}
