import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import { formatBytes } from '../../../client/protocol/model/figures.js'
import { misuse } from '../../base/failure.js'
import { isDevice } from '../../files/places.js'
import { SnapshotCommand, snapshotArg } from '../../snapshots/snapshot-command.js'
import { exportSnapshot } from '../../snapshots/snapshot-files.js'
import { placeToWrite } from '../../target/no-link.js'

export default class SnapshotExport extends SnapshotCommand {
  static override summary = 'Export a snapshot to a file.'
  static override description =
    'Writes a tar file that another emulator can import. Includes password hashes. Includes sessions and secrets of login providers only with --with-secrets.'
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
    'with-secrets': Flags.boolean({ description: 'include sessions and secrets of login providers' }),
    replace: Flags.boolean({ description: 'overwrite an existing file' }),
  }

  protected readonly access = 'read'

  async run() {
    const { args, flags } = await this.parse(SnapshotExport)
    const { snapshots, project } = this.snapshots(flags)
    const { name } = args
    if (args.file === '-') this.requireFreeStdout()
    await snapshots.get({ project, snapshot: name })
    // Ignores the name in the response, or the server could choose the file.
    const file = args.file === '-' ? '/dev/stdout' : placeToWrite(args.file, `${name}.tar`)
    const options = { file, withSecrets: flags['with-secrets'], isReplacing: flags.replace }
    const bytes = await exportSnapshot(this.emulator(flags), name, options)

    // A device is of no use to a script, and may be stdout itself.
    if (!isDevice(file)) this.log(file)
    this.note(`Exported "${name}": ${formatBytes(bytes)}.`)
    return { name, file, bytes }
  }

  private requireFreeStdout(): void {
    if (this.jsonEnabled())
      throw misuse('--json cannot be combined with output to stdout.', 'Write to a file: snapshot.tar')
    if (process.stdout.isTTY)
      throw misuse('A snapshot is binary and cannot be printed to a terminal.', 'Write to a file or a pipe.')
  }
}
