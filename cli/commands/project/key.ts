import * as Flags from '@oclif/core/flags'
import { ProjectCommand } from '../../base/project-command.js'
import { printable } from '../../terminal/text-width.js'

export default class ProjectKey extends ProjectCommand {
  static override summary = "Create another key of the emulator's project, and print it."
  static override description =
    'A secret key satisfies every role and manages collections that have permissions. It is printed this once.'
  static override examples = [
    '<%= config.bin %> project key --secret',
    'SVC_API_KEY=$(<%= config.bin %> project key --secret --quiet) <%= config.bin %> collections list',
  ]
  static override flags = { secret: Flags.boolean({ description: 'a secret key, never meant for an app that ships' }) }

  async run() {
    const { flags } = await this.parse(ProjectKey)
    const { keys, project } = this.keys(flags)
    const made = await keys.create({ project, secret: flags.secret === true })

    this.log(printable(made.key))
    return made
  }
}
