import { tokenFlag, UserCommand, userArg } from '../../../base/user-command.js'
import { record } from '../../../terminal/print.js'
import { shellWord } from '../../../terminal/shell-word.js'

export default class TwoFactorEnable extends UserCommand {
  static override summary = 'Create a two-factor secret for an authenticator app.'
  static override description = 'Enable two-factor login afterwards with svc users 2fa verify.'
  static override examples = [
    '<%= config.bin %> users 2fa enable ada@example.com',
    '<%= config.bin %> users 2fa enable ada@example.com --token "$TOKEN" --json',
  ]
  static override args = { user: userArg }
  static override flags = {
    token: tokenFlag,
  }

  protected readonly access = 'write'

  async run() {
    const { args, flags } = await this.parse(TwoFactorEnable)
    const what = `Create a two-factor secret for ${args.user}`
    const client = await this.clientAs(flags, { who: args.user, token: flags.token, what })
    const enrolment = await client.auth.twoFactor.enable()

    this.log(record({ secret: enrolment.secret, otpauthUrl: enrolment.otpauthUrl }))
    const verify = this.there(`svc users 2fa verify ${shellWord(args.user)} <code>`)
    this.note(`Enable it with a code: ${verify}${flags.token === undefined ? '' : ' --token <token>'}`)
    return enrolment
  }
}
