import * as Flags from '@oclif/core/flags'
import { UserCommand, userArg } from '../../base/user-command.js'

export default class UsersVerify extends UserCommand {
  static override summary = 'Verify the address of a user.'
  static override description = 'With --token, as the link of the mail does; without, as the owner of the emulator.'
  static override examples = [
    '<%= config.bin %> users verify ada@example.com',
    '<%= config.bin %> users verify ada@example.com --token <token of the mail>',
  ]
  static override args = { user: userArg }
  static override flags = { token: Flags.string({ description: 'token of the mail' }) }

  async run() {
    const { args, flags } = await this.parse(UsersVerify)
    const client = this.client(flags)
    if (flags.token === undefined) {
      const owner = this.owner(flags)
      const { id } = await this.findUser(client, args.user)
      await owner.update({ user: id, emailVerified: true })
    } else await client.auth.verifyEmail(flags.token)
    const user = await this.findUser(client, args.user)

    this.note(`${user.email} is verified.`)
    return user
  }
}
