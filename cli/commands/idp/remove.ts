import { ControlCommand } from '../../base/control-command.js'
import { accountArg } from '../../idp/account-flags.js'

export default class IdpRemove extends ControlCommand {
  static override hiddenAliases = ['idp:rm']
  static override summary = 'Remove an account from the built-in identity provider.'
  static override description = 'Keeps the user that logged in with the account.'
  static override examples = ['<%= config.bin %> idp remove mary --yes', '<%= config.bin %> idp remove mary -y --json']
  static override args = { account: accountArg }

  protected readonly access = 'write'

  async run() {
    const { args, flags } = await this.parse(IdpRemove)
    const { accounts } = this.control(flags).idp
    await this.confirm(`Remove account "${args.account}"?`, flags)
    await accounts.remove({ account: args.account })

    this.note(`Removed account "${args.account}". It can no longer log in.`)
    return { removed: args.account }
  }
}
