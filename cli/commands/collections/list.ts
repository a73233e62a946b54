import { TargetCommand } from '../../base/target-command.js'
import { permissionWords } from '../../collections/collection-row.js'
import { table } from '../../terminal/print.js'
import { shortTime } from '../../terminal/short-time.js'

export default class CollectionsList extends TargetCommand {
  static override hiddenAliases = ['collections:ls']
  static override summary = 'List collections.'
  static override examples = ['<%= config.bin %> collections list', '<%= config.bin %> collections list --json']

  protected readonly access = 'read'

  async run() {
    const { flags } = await this.parse(CollectionsList)
    const collections = await (await this.ownerClient(flags)).collections.list()

    if (collections.length === 0)
      this.note(`No collections yet. Create one: ${this.there('svc collections create posts')}`)
    else
      this.log(
        table(
          collections.map(({ name, schema, permissions, createdAt, id }) => ({
            name,
            fields: Object.keys(schema).join(', '),
            permissions: permissionWords(permissions) || 'open',
            createdAt: shortTime(createdAt),
            id,
          })),
        ),
      )
    return collections
  }
}
