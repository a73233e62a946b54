import { ControlCommand } from '../../base/control-command.js'
import { accountArg, accountFlags, readAccountFlags } from '../../idp/account-flags.js'
import { shellWord } from '../../terminal/shell-word.js'

export default class IdpAdd extends ControlCommand {
  static override summary = 'Add an account to the built-in identity provider.'
  static override examples = [
    '<%= config.bin %> idp add mary',
    '<%= config.bin %> idp add mary --name "Mary Somerville" --no-verified --claim locale=en',
  ]
  static override args = { account: accountArg }
  static override flags = accountFlags

  protected override readonly mayBeEmpty = ['name', 'email']

  protected readonly access = 'write'

  async run() {
    const { args, flags } = await this.parse(IdpAdd)
    const account = await this.control(flags).idp.accounts.add({ id: args.account, ...readAccountFlags(flags) })

    this.note(`"${account.id}" can log in: svc idp login --as ${shellWord(account.id)}`)
    return account
  }
}
