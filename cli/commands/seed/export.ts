import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import { ControlCommand } from '../../base/control-command.js'
import { misuse } from '../../base/failure.js'
import { exportInto } from '../../seeds/export-into.js'
import { placeToWrite } from '../../target/no-link.js'
import { counted } from '../../terminal/print.js'
import { prose } from '../../terminal/prose.js'

export default class SeedExport extends ControlCommand {
  static override summary = 'Write what the emulator holds as a seed.'
  static override description =
    prose(`Collections with schemas and permissions, documents, users with their password hashes, roles, two-factor
secrets and identities, and files, which go into files/ beside it. Ids become references to names, so that the same state is
written as the same text. Sessions, mail and settings are no part of it.

With collections, it holds these, and the users and files that they refer to.`)
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
      description: 'file to write, in the place of one that is there; - is stdout [default: seed.json]',
      helpValue: 'file',
    }),
  }

  async run() {
    const { argv, flags } = await this.parse(SeedExport)
    const isStdout = flags.out === '-'
    if (isStdout && this.jsonEnabled())
      throw misuse('--json and the seed both want stdout.', 'Name a file: -o seed.json')
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
    this.note(`${out ?? 'The seed'} holds ${parts.join(', ')}.`)
    return report
  }
}
