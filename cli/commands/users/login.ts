import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import { CliFailure, exits } from '../../base/failure.js'
import { passwordFlag, UserCommand } from '../../base/user-command.js'
import { printable } from '../../terminal/text-width.js'

export default class UsersLogin extends UserCommand {
  static override summary = 'Log a user in, and print the token.'
  static override description = 'Where a code is needed, it comes from --code, or a terminal is asked for it.'
  static override examples = [
    '<%= config.bin %> users login ada@example.com',
    '<%= config.bin %> users login ada@example.com --password Correct4Horse --code 123456',
  ]
  static override args = { email: Args.string({ required: true, description: 'address of the user' }) }
  static override flags = {
    password: passwordFlag,
    code: Flags.string({ description: 'code of the authenticator app, by mail, or for recovery' }),
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

    this.note(`${email} is logged in.`)
    this.log(printable(result.token))
    return { token: result.token, user: result.user }
  }

  private async askCode(message: string, flags: { yes: boolean }): Promise<string> {
    if (!this.mayAsk(flags)) throw new CliFailure('2FA_REQUIRED', exits.notAuthorised, message, 'Give it with --code.')
    const { input } = await import('@inquirer/prompts')
    return input({ message: 'Code' }, { output: process.stderr })
  }
}
