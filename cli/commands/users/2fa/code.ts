import { UserCommand, userArg } from '../../../base/user-command.js'
import { printable } from '../../../terminal/text-width.js'

export default class TwoFactorCode extends UserCommand {
  static override summary = "Print a user's current two-factor code."
  static override description = 'Replaces the authenticator app. Works on the emulator only.'
  static override examples = [
    '<%= config.bin %> users 2fa code ada@example.com',
    '<%= config.bin %> users login ada@example.com --code "$(<%= config.bin %> users 2fa code ada@example.com)"',
  ]
  static override args = { user: userArg }

  protected readonly access = 'read'

  async run() {
    const { args, flags } = await this.parse(TwoFactorCode)
    const owner = this.owner(flags)
    const { id } = await this.findUser(this.client(flags), args.user)
    const { code } = await owner.code({ user: id })

    this.log(printable(code))
    return { code }
  }
}
