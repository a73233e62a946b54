import { ProjectCommand } from '../../base/project-command.js'
import { table } from '../../terminal/print.js'
import { shortTime } from '../../terminal/short-time.js'

export default class KeysList extends ProjectCommand {
  static override hiddenAliases = ['keys:ls']
  static override summary = "List the API keys of the emulator's project."
  static override examples = [
    '<%= config.bin %> keys list',
    `<%= config.bin %> keys list --json | jq '.[] | select(.lastUsedAt == null)'`,
  ]

  protected readonly access = 'read'

  async run() {
    const { flags } = await this.parse(KeysList)
    const { keys: of, project } = this.keys(flags)
    const { keys } = await of.list({ project })

    this.log(
      table(
        keys.map(({ id, name, secret, scopes, createdAt, expiresAt, lastUsedAt }) => ({
          id,
          name: name ?? '',
          kind: secret ? 'secret' : 'public',
          scopes: scopes?.join(', ') ?? 'all',
          created: shortTime(createdAt),
          expires: shortTime(expiresAt) ?? 'never',
          'last used': shortTime(lastUsedAt) ?? 'never',
        })),
      ),
    )
    return keys
  }
}
