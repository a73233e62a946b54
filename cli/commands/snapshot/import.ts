import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import { SnapshotCommand } from '../../snapshots/snapshot-command.js'
import { importSnapshot } from '../../snapshots/snapshot-files.js'
import { describeContent } from '../../snapshots/words.js'
import { shellWord } from '../../terminal/shell-word.js'

export default class SnapshotImport extends SnapshotCommand {
  static override summary = 'Import a snapshot from a file; load it with "snapshot load".'
  static override description = 'The file is checked before anything is changed.'
  static override examples = [
    '<%= config.bin %> snapshot import demo.tar',
    '<%= config.bin %> snapshot import fixtures/demo.tar --name friday',
  ]
  static override args = {
    file: Args.string({ required: true, description: 'file that "snapshot export" wrote' }),
  }
  static override flags = { name: Flags.string({ description: 'name here, in place of the one it had' }) }

  protected override readonly whereNameIsTaken = (name: string) =>
    `Take another name with --name, or remove that one: svc snapshot remove ${shellWord(name)}`

  async run() {
    const { args, flags } = await this.parse(SnapshotImport)
    const snapshot = await importSnapshot(this.emulator(flags), args.file, flags.name)

    const load = `svc snapshot load ${shellWord(snapshot.name)}`
    this.note(`Imported "${snapshot.name}": ${describeContent(snapshot)}. Load it: ${load}`)
    if (snapshot.missing.length > 0) this.noteAlways(`Not in it: ${snapshot.missing.join(', ')}.`)
    return snapshot
  }
}
