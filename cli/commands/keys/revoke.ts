import * as Args from '@oclif/core/args'
import { ProjectCommand } from '../../base/project-command.js'

export default class KeysRevoke extends ProjectCommand {
  static override summary = "Revoke an API key of the emulator's project."
  static override description = 'Also ends sessions and connections that were opened with the key.'
  static override examples = [
    '<%= config.bin %> keys revoke 01900000-0000-7000-8000-000000000001',
    `<%= config.bin %> keys list --json | jq -r '.[] | select(.name == "reports").id' | xargs -n1 <%= config.bin %> keys revoke`,
  ]
  static override args = {
    id: Args.string({ required: true, description: 'id of the key; see svc keys list' }),
  }

  protected readonly access = 'write'

  async run() {
    const { args, flags } = await this.parse(KeysRevoke)
    const { keys, project } = this.keys(flags)
    const revoked = await keys.revoke({ project, key: args.id })

    this.note(`Revoked key ${revoked.id}.`)
    return revoked
  }
}
