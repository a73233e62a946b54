import { ControlCommand } from '../../base/control-command.js'
import { listAccounts } from '../../idp/local-provider.js'
import { table } from '../../terminal/print.js'

export default class IdpAccounts extends ControlCommand {
  static override summary = 'List who can log in at the built-in identity provider.'
  static override examples = ['<%= config.bin %> idp accounts', '<%= config.bin %> idp accounts --json']

  async run() {
    const { flags } = await this.parse(IdpAccounts)
    const accounts = await listAccounts(this.control(flags))

    this.log(
      table(accounts.map(({ id, name, email, emailVerified }) => ({ id, name, email, verified: emailVerified }))),
    )
    return accounts
  }
}
