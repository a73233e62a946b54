import * as Flags from '@oclif/core/flags'
import { ProjectCommand } from '../../base/project-command.js'
import { limitFlag } from '../../terminal/limit-flag.js'
import { table } from '../../terminal/print.js'
import { shortTime } from '../../terminal/short-time.js'
import { printable } from '../../terminal/text-width.js'

export default class ProjectList extends ProjectCommand {
  static override hiddenAliases = ['project:ls']
  static override summary = 'List the projects in the emulator.'
  static override examples = ['<%= config.bin %> project list', '<%= config.bin %> project list --limit 1000 --json']
  static override flags = {
    limit: limitFlag('projects'),
    after: Flags.string({ description: 'only projects after the one with this id', helpValue: 'ID' }),
  }

  protected readonly access = 'read'

  async run() {
    const { flags } = await this.parse(ProjectList)
    const { projects, project: own } = this.projects(flags)
    const listed = await projects.list({ limit: flags.limit, after: flags.after })

    this.log(
      table(
        listed.projects.map(({ id, name, createdAt }) => ({
          id,
          name,
          created: shortTime(createdAt),
          note: id === own ? "the emulator's own" : '',
        })),
      ),
    )
    if (listed.next !== null) this.note(`There are more projects. To see them: --after ${printable(listed.next)}`)
    return listed
  }
}
