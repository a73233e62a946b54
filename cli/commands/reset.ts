import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import { ProjectCommand } from '../base/project-command.js'
import { counted } from '../terminal/print.js'
import { prose } from '../terminal/prose.js'

export default class Reset extends ProjectCommand {
  static override summary = "Delete the data of the emulator's project."
  static override description =
    prose(`Without arguments, deletes all collections, users, files and mail. If you name collections, deletes their documents and
keeps their schemas and permissions. Keys, settings, port and other projects stay. Subscribers stay connected and receive RESYNC.

svc undo restores everything except mail.`)
  static override examples = ['<%= config.bin %> reset', '<%= config.bin %> reset posts comments --mail --yes']
  static override usage = 'reset [COLLECTION...]'
  static override args = {
    collection: Args.string({ multiple: true, description: 'collections to empty [default: delete everything]' }),
  }
  static override flags = {
    users: Flags.boolean({ description: 'delete all users, with their sessions and files' }),
    files: Flags.boolean({ description: 'delete files that belong to neither a document nor a user' }),
    mail: Flags.boolean({ description: 'delete all mail' }),
  }

  protected readonly access = 'write'

  async run() {
    const { argv, flags } = await this.parse(Reset)
    const { projects, project } = this.projects(flags)
    const collections = argv.map(String)
    const choice = {
      ...(collections.length > 0 ? { collections } : {}),
      ...(flags.users ? { users: true as const } : {}),
      ...(flags.files ? { files: true as const } : {}),
      ...(flags.mail ? { mail: true as const } : {}),
    }
    await this.confirm(`Delete ${describeChoice(choice)} of project "${project}"?`, flags)
    const emulator = this.emulator(flags)
    const report = await this.undoably({ emulator }, ['reset', ...formatArguments(choice)].join(' '), flags, () =>
      projects.reset({ project, ...choice }),
    )

    const documents = report.collections.reduce((sum, each) => sum + each.documents, 0)
    const parts = [
      `${counted(documents, 'document')} of ${counted(report.collections.length, 'collection')}`,
      counted(report.users, 'user'),
      counted(report.files, 'file'),
      counted(report.mails, 'mail'),
    ]
    this.note(`Deleted: ${parts.join(', ')}.`)
    return report
  }
}

interface Choice {
  readonly collections?: readonly string[]
  readonly users?: true
  readonly files?: true
  readonly mail?: true
}

function formatArguments({ collections = [], users, files, mail }: Choice): string[] {
  return [...collections, ...(users ? ['--users'] : []), ...(files ? ['--files'] : []), ...(mail ? ['--mail'] : [])]
}

function describeChoice({ collections = [], users, files, mail }: Choice): string {
  const names = [
    ...(collections.length > 0 ? [`all documents of ${collections.map((name) => `"${name}"`).join(', ')}`] : []),
    ...(users ? ['all users'] : []),
    ...(files ? ['all files without an owner'] : []),
    ...(mail ? ['all mail'] : []),
  ]
  return names.length > 0 ? names.join(', ') : 'all collections, users, files and mail'
}
