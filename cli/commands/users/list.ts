import * as Flags from '@oclif/core/flags'
import type { AppUser } from '../../../client/protocol/model/user.js'
import { UserCommand, userRow } from '../../base/user-command.js'
import { emptyResultNotes, userFields } from '../../documents/empty-result.js'
import { readSort, readWhere, sortFlag, whereFlags } from '../../documents/where-flag.js'
import { pageLimitFlag } from '../../terminal/limit-flag.js'
import { pageNote, type Row, table } from '../../terminal/print.js'
import { shortTime } from '../../terminal/short-time.js'

export default class UsersList extends UserCommand {
  static override hiddenAliases = ['users:ls']
  static override summary = 'List users, newest first.'
  static override description =
    'Conditions can use id, email, roles, and fields of the data. For the syntax, see svc docs list --help.'
  static override examples = [
    '<%= config.bin %> users list',
    '<%= config.bin %> users list --where roles=admin --sort email --limit 5',
  ]
  static override flags = {
    ...whereFlags,
    sort: sortFlag,
    limit: pageLimitFlag('users'),
    offset: Flags.integer({ min: 0, description: 'number of users to skip' }),
  }

  protected readonly access = 'read'

  async run() {
    const { flags } = await this.parse(UsersList)
    const { sort, limit, offset } = flags
    const client = this.client(flags)
    const page = await client.users.list({
      where: readWhere(flags) as never,
      sort: readSort(sort),
      limit,
      offset,
    })

    if (page.items.length > 0) this.log(table(page.items.map(listed), { whole: ['email'] }))
    this.note(pageNote(page, 'user'))
    this.noteCut(page, flags.limit)
    if (page.items.length === 0 && page.offset === 0)
      await this.noteEmptyResult(() => emptyResultNotes(flags, userFields(client)))
    return page
  }
}

function listed(user: AppUser): Row {
  const row = userRow(user)
  return { ...row, createdAt: shortTime(row.createdAt) }
}
