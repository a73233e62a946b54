import { UserCommand, userArg } from '../../base/user-command.js'
import { printable } from '../../terminal/text-width.js'

export default class UsersToken extends UserCommand {
  static override summary = 'Print a token for a user.'
  static override description = 'Needs no password. Works on the emulator only, as its owner.'
  static override examples = [
    '<%= config.bin %> users token ada@example.com',
    'curl "$SVC_URL/auth-collections/me" -H "authorization: Bearer $(<%= config.bin %> users token ada@example.com)"',
  ]
  static override args = { user: userArg }

  protected readonly access = 'read'

  async run() {
    const { args, flags } = await this.parse(UsersToken)
    const owner = this.owner(flags)
    const { id } = await this.findUser(this.client(flags), args.user)
    const { token } = await owner.token({ user: id })

    this.log(printable(token))
    return { token }
  }
}
