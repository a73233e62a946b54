import * as Args from '@oclif/core/args'
import { UserCommand } from '../../../base/user-command.js'

export default class UsersPasswordRequestReset extends UserCommand {
  static override summary = 'Mail a link for a new password to whoever has that address.'
  static override description = 'The answer is the same whether anybody has it; see svc mail list.'
  static override examples = [
    '<%= config.bin %> users password request-reset ada@example.com',
    '<%= config.bin %> users password request-reset ada@example.com && <%= config.bin %> mail wait --to ada@example.com --link',
  ]
  static override args = { email: Args.string({ required: true, description: 'address of the user' }) }

  async run() {
    const { args, flags } = await this.parse(UsersPasswordRequestReset)
    const client = await this.clientForWrite(flags, `Mail a reset link to ${args.email}`)
    await client.auth.requestPasswordReset(args.email)

    this.note(`If somebody has ${args.email}, a mail is on its way.`)
    return { email: args.email }
  }
}
