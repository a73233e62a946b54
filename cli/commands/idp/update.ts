import { ControlCommand } from '../../base/control-command.js'
import { accountArg, accountFlags, readAccountFlags } from '../../idp/account-flags.js'

export default class IdpUpdate extends ControlCommand {
  static override summary = 'Change an account of the built-in identity provider.'
  static override description = 'Keeps everything that you do not name. --claim replaces all claims.'
  static override examples = [
    '<%= config.bin %> idp update ada --no-verified',
    '<%= config.bin %> idp update ada --email "" --claim locale=en --claim groups:=\'["staff"]\'',
  ]
  static override args = { account: accountArg }
  static override flags = accountFlags

  protected override readonly mayBeEmpty = ['name', 'email']

  protected readonly access = 'write'

  async run() {
    const { args, flags } = await this.parse(IdpUpdate)
    const { accounts } = this.control(flags).idp
    const account = await accounts.change({ account: args.account, ...readAccountFlags(flags) })

    this.note(`Changed account "${account.id}".`)
    return account
  }
}
