import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import { SnapshotCommand } from '../../snapshots/snapshot-command.js'
import { importSnapshot } from '../../snapshots/snapshot-files.js'
import { describeContent } from '../../snapshots/words.js'
import { shellWord } from '../../terminal/shell-word.js'

export default class SnapshotImport extends SnapshotCommand {
  static override summary = 'Import a snapshot from a file.'
  static override description = 'Checks the file first. To use the snapshot, load it with svc snapshot load.'
  static override examples = [
    '<%= config.bin %> snapshot import demo.tar',
    '<%= config.bin %> snapshot import fixtures/demo.tar --name friday',
  ]
  static override args = {
    file: Args.string({ required: true, description: 'file from svc snapshot export' }),
  }
  static override flags = { name: Flags.string({ description: 'name of the snapshot [default: its former name]' }) }

  protected override readonly whereNameIsTaken = (name: string) =>
    `Choose another name with --name, or delete the existing one: svc snapshot remove ${shellWord(name)}`

  protected readonly access = 'write'

  async run() {
    const { args, flags } = await this.parse(SnapshotImport)
    const snapshot = await importSnapshot(this.emulator(flags), args.file, flags.name)

    const load = `svc snapshot load ${shellWord(snapshot.name)}`
    this.note(`Imported "${snapshot.name}": ${describeContent(snapshot)}. Load it: ${load}`)
    if (snapshot.missing.length > 0) this.noteAlways(`Not included: ${snapshot.missing.join(', ')}.`)
    return snapshot
  }
}
