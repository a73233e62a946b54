import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import { formatBytes } from '../../../client/protocol/model/figures.js'
import { misuse } from '../../base/failure.js'
import { isDevice } from '../../files/places.js'
import { SnapshotCommand, snapshotArg } from '../../snapshots/snapshot-command.js'
import { exportSnapshot } from '../../snapshots/snapshot-files.js'
import { placeToWrite } from '../../target/no-link.js'

export default class SnapshotExport extends SnapshotCommand {
  static override summary = 'Write a snapshot to a file that another emulator imports.'
  static override description =
    'A tar file, every entry with its hash. Hashes of passwords are in it; secrets of login providers and sessions are not, unless --with-secrets is given.'
  static override examples = [
    '<%= config.bin %> snapshot export demo',
    '<%= config.bin %> snapshot export demo fixtures/demo.tar --replace',
    '<%= config.bin %> snapshot export demo - | gzip > demo.tar.gz',
  ]
  static override args = {
    name: snapshotArg,
    file: Args.string({ description: 'file to write; - is stdout [default: <name>.tar]' }),
  }
  static override flags = {
    'with-secrets': Flags.boolean({ description: 'include secrets of login providers and sessions' }),
    replace: Flags.boolean({ description: 'write over a file that is there already' }),
  }

  async run() {
    const { args, flags } = await this.parse(SnapshotExport)
    const { snapshots, project } = this.snapshots(flags)
    const { name } = args
    if (args.file === '-') this.requireFreeStdout()
    await snapshots.get({ project, snapshot: name })
    // Not the name in the answer: the server would choose where this writes.
    const file = args.file === '-' ? '/dev/stdout' : placeToWrite(args.file, `${name}.tar`)
    const options = { file, withSecrets: flags['with-secrets'], isReplacing: flags.replace }
    const bytes = await exportSnapshot(this.emulator(flags), name, options)

    // What it was written to is no file that a script could go on with, and may be the output itself.
    if (!isDevice(file)) this.log(file)
    this.note(`Exported "${name}": ${formatBytes(bytes)}.`)
    return { name, file, bytes }
  }

  private requireFreeStdout(): void {
    if (this.jsonEnabled()) throw misuse('--json and the snapshot both want stdout.', 'Name a file: snapshot.tar')
    if (process.stdout.isTTY)
      throw misuse('A snapshot is not text that a terminal could show.', 'Name a file, or a pipe.')
  }
}
