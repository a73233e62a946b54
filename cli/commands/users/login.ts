import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import { CliFailure, exits } from '../../base/failure.js'
import { passwordFlag, UserCommand } from '../../base/user-command.js'
import { printable } from '../../terminal/text-width.js'

export default class UsersLogin extends UserCommand {
  static override summary = 'Log in a user and print the token.'
  static override description = 'If the user has two-factor login, pass --code, or enter the code at the prompt.'
  static override examples = [
    '<%= config.bin %> users login ada@example.com',
    '<%= config.bin %> users login ada@example.com --password Correct4Horse --code 123456',
  ]
  static override args = { email: Args.string({ required: true, description: 'email of the user' }) }
  static override flags = {
    password: passwordFlag,
    code: Flags.string({ description: 'code from the authenticator app or a mail, or a recovery code' }),
  }

  protected readonly access = 'read'

  async run() {
    const { args, flags } = await this.parse(UsersLogin)
    const { email } = args
    const password = await this.askPassword(flags.password, flags)
    const client = this.client(flags)
    const first = await client.auth.logIn({ email, password })
    const code = first.requires2fa ? (flags.code ?? (await this.askCode(first.message, flags))) : ''
    const result = first.requires2fa ? await client.auth.verifyCode({ email, code }) : first
    if (result.requires2fa) throw new CliFailure('2FA_REQUIRED', exits.notAuthorised, result.message)

    this.note(`Logged in ${email}.`)
    this.log(printable(result.token))
    return { token: result.token, user: result.user }
  }

  private async askCode(message: string, flags: { yes: boolean }): Promise<string> {
    if (!this.mayAsk(flags)) throw new CliFailure('2FA_REQUIRED', exits.notAuthorised, message, 'Pass it with --code.')
    const { input } = await import('@inquirer/prompts')
    return input({ message: 'Code' }, { output: process.stderr })
  }
}
