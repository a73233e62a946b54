import { newPasswordFlag, passwordFlag, tokenFlag, UserCommand, userArg } from '../../../base/user-command.js'

export default class UsersPasswordChange extends UserCommand {
  static override summary = "Change a user's password."
  static override description = 'Needs the current password. Ends all other sessions of the user.'
  static override examples = [
    '<%= config.bin %> users password change ada@example.com',
    '<%= config.bin %> users password change ada@example.com --password Correct4Horse --new-password New4Horses --json',
  ]
  static override args = { user: userArg }
  static override flags = { password: passwordFlag, 'new-password': newPasswordFlag, token: tokenFlag }

  protected readonly access = 'write'

  async run() {
    const { args, flags } = await this.parse(UsersPasswordChange)
    const oldPassword = await this.askPassword(flags.password, flags, 'Current password')
    const newPassword = await this.askNewPassword(flags['new-password'], flags)
    const what = `Change the password of ${args.user}`
    const client = await this.clientAs(flags, { who: args.user, token: flags.token, what })
    await client.auth.changePassword({ oldPassword, newPassword })

    this.note(`Changed the password of ${args.user}.`)
    return { user: args.user, changed: true }
  }
}
