import * as Args from '@oclif/core/args'
import { UserCommand } from '../../../base/user-command.js'

export default class UsersPasswordRequestReset extends UserCommand {
  static override summary = 'Send a password reset mail.'
  static override description = 'The response does not reveal whether the user exists. To see the mail: svc mail list'
  static override examples = [
    '<%= config.bin %> users password request-reset ada@example.com',
    '<%= config.bin %> users password request-reset ada@example.com && <%= config.bin %> mail wait --to ada@example.com --link',
  ]
  static override args = { email: Args.string({ required: true, description: 'email of the user' }) }

  protected readonly access = 'write'

  async run() {
    const { args, flags } = await this.parse(UsersPasswordRequestReset)
    const client = await this.clientForWrite(flags, `Send a reset mail to ${args.email}`)
    await client.auth.requestPasswordReset(args.email)

    this.note(`Sent a reset mail to ${args.email}, if the user exists.`)
    return { email: args.email }
  }
}
