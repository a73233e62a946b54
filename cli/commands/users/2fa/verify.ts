import * as Args from '@oclif/core/args'
import { tokenFlag, UserCommand, userArg } from '../../../base/user-command.js'
import { printable } from '../../../terminal/text-width.js'

export default class TwoFactorVerify extends UserCommand {
  static override summary = 'Turn two-factor login on with a code, and print the recovery codes.'
  static override examples = [
    '<%= config.bin %> users 2fa verify ada@example.com 123456',
    '<%= config.bin %> users 2fa verify ada@example.com "$(<%= config.bin %> users 2fa code ada@example.com)"',
  ]
  static override args = {
    user: userArg,
    code: Args.string({ required: true, description: 'code of the authenticator app' }),
  }
  static override flags = {
    token: tokenFlag,
  }

  protected readonly access = 'write'

  async run() {
    const { args, flags } = await this.parse(TwoFactorVerify)
    const what = `Turn on two-factor login of ${args.user}`
    const client = await this.clientAs(flags, { who: args.user, token: flags.token, what })
    const recoveryCodes = await client.auth.twoFactor.verify(args.code)

    this.note('Two-factor login is on. Each of these works once in place of a code:')
    this.log(recoveryCodes.map(printable).join('\n'))
    return { recoveryCodes }
  }
}
