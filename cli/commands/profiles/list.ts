import { SvcCommand } from '../../base/svc-command.js'
import { maskKey, readProfiles } from '../../target/profiles.js'
import { table } from '../../terminal/print.js'
import { withoutPassword } from '../../terminal/secrets.js'

export default class ProfilesList extends SvcCommand {
  static override hiddenAliases = ['profiles:ls']
  static override summary = 'List profiles.'
  static override examples = ['<%= config.bin %> profiles list', '<%= config.bin %> profiles list --json']

  protected readonly access = 'read'

  async run() {
    await this.parse(ProfilesList)
    const { current, profiles } = readProfiles()
    const rows = Object.entries(profiles).map(([name, { url, key, dialect }]) => ({
      name,
      url: withoutPassword(url),
      key: key ? maskKey(key) : null,
      dialect: dialect ?? null,
      isCurrent: name === current,
    }))
    if (rows.length === 0) this.note('No profiles yet. Add one: svc profiles add staging --url https://…')
    else this.log(table(rows, { whole: ['name', 'url'] }))
    return rows
  }
}
