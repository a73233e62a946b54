import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import { ControlCommand } from '../../base/control-command.js'
import { misuse } from '../../base/failure.js'
import { exportInto } from '../../seeds/export-into.js'
import { placeToWrite } from '../../target/no-link.js'
import { counted } from '../../terminal/print.js'
import { prose } from '../../terminal/prose.js'

export default class SeedExport extends ControlCommand {
  static override summary = "Export the emulator's data as a seed file."
  static override description =
    prose(`Exports collections with schemas and permissions, documents, and users with password hashes, roles, two-factor secrets and
identities. Writes files to files/ next to the seed. Replaces ids with names, so the same data gives the same seed. Leaves out sessions, mail
and settings.

If you name collections, exports these with the users and files that they refer to.`)
  static override examples = [
    '<%= config.bin %> seed export -o seeds/seed.json',
    '<%= config.bin %> seed export posts authors -o seeds/blog.json',
  ]
  static override usage = 'seed export [COLLECTION...]'
  static override args = {
    collection: Args.string({ multiple: true, description: 'collections to export [default: everything]' }),
  }
  static override flags = {
    out: Flags.string({
      char: 'o',
      description: 'file to write or overwrite; - is stdout [default: seed.json]',
      helpValue: 'file',
    }),
  }

  protected readonly access = 'read'

  async run() {
    const { argv, flags } = await this.parse(SeedExport)
    const isStdout = flags.out === '-'
    if (isStdout && this.jsonEnabled())
      throw misuse('--json cannot be combined with output to stdout.', 'Write to a file: -o seed.json')
    const out = isStdout ? undefined : placeToWrite(flags.out, 'seed.json')
    const print = (text: string) => this.logData(text.trimEnd())
    const report = await exportInto(out, argv.map(String), this.emulator(flags), print)
    const { documents, collections, users, files } = report
    const parts = [
      counted(documents, 'document'),
      counted(collections, 'collection'),
      counted(users, 'user'),
      counted(files, 'file'),
    ]
    this.note(`Exported ${parts.join(', ')}${out === undefined ? '' : ` to ${out}`}.`)
    return report
  }
}
