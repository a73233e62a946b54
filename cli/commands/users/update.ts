import * as Flags from '@oclif/core/flags'
import { misuse } from '../../base/failure.js'
import { UserCommand, userArg, userRow } from '../../base/user-command.js'
import { fieldsArg, fieldsDescription, readFields } from '../../documents/fields-args.js'
import { record } from '../../terminal/print.js'

export default class UsersUpdate extends UserCommand {
  static override summary = "Change a user's roles, verification or data, as the owner of the emulator."
  static override description = `Takes ${fieldsDescription}, which change the data of the user; other fields stay.`
  static override examples = [
    '<%= config.bin %> users update ada@example.com --role admin --role editor',
    '<%= config.bin %> users update ada@example.com --no-verified username=ada',
  ]
  static override usage = 'users update USER [FIELD=text] [FIELD:=json]'
  static override args = { user: userArg, field: fieldsArg }
  static override flags = {
    role: Flags.string({
      multiple: true,
      multipleNonGreedy: true,
      description: 'role to have, in the place of all others',
    }),
    'no-roles': Flags.boolean({ description: 'take all roles away', exclusive: ['role'] }),
    verified: Flags.boolean({ allowNo: true, description: 'whether the address counts as verified' }),
  }

  protected readonly access = 'write'

  async run() {
    const { args, argv, flags } = await this.parse(UsersUpdate)
    const data = readFields(argv.slice(1).map(String))
    const { role, 'no-roles': noRoles, verified: emailVerified } = flags
    const roles = noRoles ? [] : role
    const hasData = Object.keys(data).length > 0
    if (!hasData && roles === undefined && emailVerified === undefined) {
      throw misuse('Nothing to change was given.', 'Name fields (username=ada), --role or --verified.')
    }
    const owner = this.owner(flags)
    const { id } = await this.findUser(this.client(flags), args.user)
    const what = `Change the data of ${args.user}`
    const isOwned = roles !== undefined || emailVerified !== undefined
    if (isOwned) await owner.update({ user: id, roles, emailVerified })
    if (hasData) {
      const client = await this.clientAs(flags, { who: id, what })
      await client.auth.update({ data }).catch((error) => {
        if (isOwned) this.note('Roles and verification are changed; the data are not.')
        throw error
      })
    }
    const user = await this.findUser(this.client(flags), id)

    this.log(record(userRow(user)))
    return user
  }
}
