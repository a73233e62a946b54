import * as Args from '@oclif/core/args'
import { SvcError } from '../../../client/protocol/model/errors.js'
import { reworded } from '../../base/failure.js'
import { ProjectCommand } from '../../base/project-command.js'
import { prose } from '../../terminal/prose.js'

export default class ProjectDelete extends ProjectCommand {
  static override hiddenAliases = ['project:rm']
  static override summary = 'Delete a project that the emulator keeps beside its own, with all that is in it.'
  static override description =
    prose(`Its keys, files and snapshots go too, and what was opened with its keys ends. It cannot be undone. Asks first; without a
terminal it needs --yes. The emulator's own project is emptied by svc reset.`)
  static override examples = [
    '<%= config.bin %> project delete 01900000-0000-7000-8000-000000000001',
    `<%= config.bin %> project list --json | jq -r '.projects[] | select(.name == "test").id' | xargs -r -n1 <%= config.bin %> project delete --yes`,
  ]
  static override args = {
    id: Args.string({ required: true, description: 'id of the project, as lists show it' }),
  }

  async run() {
    const { args, flags } = await this.parse(ProjectDelete)
    const { projects } = this.projects(flags)
    const { id, name } = await projects.get({ project: args.id })
    await this.confirm(`Delete the project "${name}" (${id}) with all that is in it?`, flags)
    const removed = await projects.remove({ project: id }).catch((error) => {
      const isOwn = error instanceof SvcError && error.code === 'CONFLICT'
      throw isOwn ? reworded(error, () => ({ hint: 'Empty it: svc reset' })) : error
    })

    this.note(`Project "${name}" is deleted.`)
    return removed
  }
}
