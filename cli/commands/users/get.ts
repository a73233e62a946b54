import { UserCommand, userArg, userRow } from '../../base/user-command.js'
import { record } from '../../terminal/print.js'

export default class UsersGet extends UserCommand {
  static override summary = 'Show a user.'
  static override examples = [
    '<%= config.bin %> users get ada@example.com',
    '<%= config.bin %> users get ada@example.com --json',
  ]
  static override args = { user: userArg }

  protected readonly access = 'read'

  async run() {
    const { args, flags } = await this.parse(UsersGet)
    const user = await this.findUser(this.client(flags), args.user)

    this.log(record(userRow(user)))
    return user
  }
}
