import { ProjectCommand } from '../../base/project-command.js'
import { type Row, record } from '../../terminal/print.js'

export default class ProjectShow extends ProjectCommand {
  static override summary = "Show the settings and keys of the emulator's project."
  static override examples = ['<%= config.bin %> project show', '<%= config.bin %> project show --json']

  protected readonly access = 'read'

  async run() {
    const { flags } = await this.parse(ProjectShow)
    const { projects, project: id } = this.projects(flags)
    const project = await projects.get({ project: id })

    this.log(record({ id: project.id, ...project.settings, ...keyRows(project.keys) }))
    return project
  }
}

/** Shows the public keys, and counts the secret ones. */
function keyRows(keys: readonly { readonly secret: boolean; readonly key: string | null }[]): Row {
  const readable = keys.flatMap(({ key }) => key ?? [])
  const secret = keys.filter((key) => key.secret).length
  return {
    'public keys': readable.length === 0 ? 'none' : readable.join(', '),
    'secret keys': `${secret} (shown only once; for details: svc keys list)`,
  }
}
