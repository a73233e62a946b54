import * as Args from '@oclif/core/args'
import { SvcError } from '../../../client/protocol/model/errors.js'
import { reworded } from '../../base/failure.js'
import { ProjectCommand } from '../../base/project-command.js'
import { prose } from '../../terminal/prose.js'

export default class ProjectDelete extends ProjectCommand {
  static override hiddenAliases = ['project:rm']
  static override summary = 'Delete a project from the emulator.'
  static override description =
    prose(`Deletes the project with its data, keys, files and snapshots, and closes its connections. You cannot undo this. Asks first; needs --yes
without a terminal. To empty the emulator's own project, use svc reset.`)
  static override examples = [
    '<%= config.bin %> project delete 01900000-0000-7000-8000-000000000001',
    `<%= config.bin %> project list --json | jq -r '.projects[] | select(.name == "test").id' | xargs -r -n1 <%= config.bin %> project delete --yes`,
  ]
  static override args = {
    id: Args.string({ required: true, description: 'id of the project; see svc project list' }),
  }

  protected readonly access = 'write'

  async run() {
    const { args, flags } = await this.parse(ProjectDelete)
    const { projects } = this.projects(flags)
    const { id, name } = await projects.get({ project: args.id })
    await this.confirm(`Delete project "${name}" (${id}) and all its data?`, flags)
    const removed = await projects.remove({ project: id }).catch((error) => {
      const isOwn = error instanceof SvcError && error.code === 'CONFLICT'
      throw isOwn ? reworded(error, () => ({ hint: 'To empty it: svc reset' })) : error
    })

    this.note(`Deleted project "${name}".`)
    return removed
  }
}
