import * as Args from '@oclif/core/args'
import { UserCommand } from '../../../base/user-command.js'

export default class UsersPasswordRequestReset extends UserCommand {
  static override summary = 'Send a password reset mail.'
  static override description = 'The answer is the same whether a user has that address or not; see svc mail list.'
  static override examples = [
    '<%= config.bin %> users password request-reset ada@example.com',
    '<%= config.bin %> users password request-reset ada@example.com && <%= config.bin %> mail wait --to ada@example.com --link',
  ]
  static override args = { email: Args.string({ required: true, description: 'address of the user' }) }

  protected readonly access = 'write'

  async run() {
    const { args, flags } = await this.parse(UsersPasswordRequestReset)
    const client = await this.clientForWrite(flags, `Mail a reset link to ${args.email}`)
    await client.auth.requestPasswordReset(args.email)

    this.note(`If a user has ${args.email}, a mail is on its way.`)
    return { email: args.email }
  }
}
