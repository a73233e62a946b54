import * as Args from '@oclif/core/args'
import { tokenFlag, UserCommand, userArg } from '../../../base/user-command.js'
import { printable } from '../../../terminal/text-width.js'

export default class TwoFactorVerify extends UserCommand {
  static override summary = 'Enable two-factor login with a code, and print recovery codes.'
  static override examples = [
    '<%= config.bin %> users 2fa verify ada@example.com 123456',
    '<%= config.bin %> users 2fa verify ada@example.com "$(<%= config.bin %> users 2fa code ada@example.com)"',
  ]
  static override args = {
    user: userArg,
    code: Args.string({ required: true, description: 'code from the authenticator app' }),
  }
  static override flags = {
    token: tokenFlag,
  }

  protected readonly access = 'write'

  async run() {
    const { args, flags } = await this.parse(TwoFactorVerify)
    const what = `Enable two-factor login of ${args.user}`
    const client = await this.clientAs(flags, { who: args.user, token: flags.token, what })
    const recoveryCodes = await client.auth.twoFactor.verify(args.code)

    this.note('Enabled two-factor login. You can use each recovery code once:')
    this.log(recoveryCodes.map(printable).join('\n'))
    return { recoveryCodes }
  }
}
