import * as Flags from '@oclif/core/flags'
import { misuse } from '../../base/failure.js'
import { UserCommand, userArg, userRow } from '../../base/user-command.js'
import { fieldsArg, fieldsDescription, readFields } from '../../documents/fields-args.js'
import { record } from '../../terminal/print.js'

export default class UsersUpdate extends UserCommand {
  static override summary = "Update a user's roles, verification or data."
  static override description =
    `Takes ${fieldsDescription}, for the data of the user. Keeps all other fields. Works on the emulator only.`
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
      description: 'role of the user; replaces all roles',
    }),
    'no-roles': Flags.boolean({ description: 'remove all roles', exclusive: ['role'] }),
    verified: Flags.boolean({ allowNo: true, description: 'whether the email address is verified' }),
  }

  protected readonly access = 'write'

  async run() {
    const { args, argv, flags } = await this.parse(UsersUpdate)
    const data = readFields(argv.slice(1).map(String))
    const { role, 'no-roles': noRoles, verified: emailVerified } = flags
    const roles = noRoles ? [] : role
    const hasData = Object.keys(data).length > 0
    if (!hasData && roles === undefined && emailVerified === undefined) {
      throw misuse('No changes given.', 'Pass fields (username=ada), --role or --verified.')
    }
    const owner = this.owner(flags)
    const { id } = await this.findUser(this.client(flags), args.user)
    const what = `Change the data of ${args.user}`
    const isOwned = roles !== undefined || emailVerified !== undefined
    if (isOwned) await owner.update({ user: id, roles, emailVerified })
    if (hasData) {
      const client = await this.clientAs(flags, { who: id, what })
      await client.auth.update({ data }).catch((error) => {
        if (isOwned) this.note('Roles and verification were changed, but not the data.')
        throw error
      })
    }
    const user = await this.findUser(this.client(flags), id)

    this.log(record(userRow(user)))
    return user
  }
}
