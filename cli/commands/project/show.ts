import { ProjectCommand } from '../../base/project-command.js'
import { record } from '../../terminal/print.js'

export default class ProjectShow extends ProjectCommand {
  static override summary = "Show the settings and keys of the emulator's project."
  static override examples = ['<%= config.bin %> project show', '<%= config.bin %> project show --json']

  async run() {
    const { flags } = await this.parse(ProjectShow)
    const { projects, project: id } = this.projects(flags)
    const project = await projects.get({ project: id })

    this.log(record({ id: project.id, ...project.settings, keys: project.keys }))
    return project
  }
}
