import * as Args from '@oclif/core/args'
import { ProjectCommand } from '../../base/project-command.js'

export default class KeysRevoke extends ProjectCommand {
  static override summary = "Revoke a key of the emulator's project: what was opened with it ends."
  static override examples = [
    '<%= config.bin %> keys revoke 01900000-0000-7000-8000-000000000001',
    `<%= config.bin %> keys list --json | jq -r '.[] | select(.name == "reports").id' | xargs -n1 <%= config.bin %> keys revoke`,
  ]
  static override args = {
    id: Args.string({ required: true, description: 'id of the key, as lists show it' }),
  }

  async run() {
    const { args, flags } = await this.parse(KeysRevoke)
    const { keys, project } = this.keys(flags)
    const revoked = await keys.revoke({ project, key: args.id })

    this.note(`Key ${revoked.id} revoked.`)
    return revoked
  }
}
