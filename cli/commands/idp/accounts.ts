import { ControlCommand } from '../../base/control-command.js'
import { table } from '../../terminal/print.js'

export default class IdpAccounts extends ControlCommand {
  static override summary = 'List the accounts of the built-in identity provider.'
  static override examples = ['<%= config.bin %> idp accounts', '<%= config.bin %> idp accounts --json']

  protected readonly access = 'read'

  async run() {
    const { flags } = await this.parse(IdpAccounts)
    const { accounts } = await this.control(flags).idp.accounts.list()

    this.log(
      table(
        accounts.map(({ id, name, email, emailVerified }) => ({ id, name, email, verified: emailVerified })),
        { whole: ['email'] },
      ),
    )
    return accounts
  }
}
