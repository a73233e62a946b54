import * as Flags from '@oclif/core/flags'
import { misuse } from '../../base/failure.js'
import { UserCommand, userArg } from '../../base/user-command.js'

export default class UsersVerify extends UserCommand {
  static override summary = "Verify a user's email address."
  static override description =
    'With --token, works like the link in the mail. Without it, acts as the owner of the emulator.'
  static override examples = [
    '<%= config.bin %> users verify ada@example.com',
    '<%= config.bin %> users verify ada@example.com --token <token of the mail>',
  ]
  static override args = { user: userArg }
  static override flags = { token: Flags.string({ description: 'token from the mail' }) }

  protected readonly access = 'write'

  async run() {
    const { args, flags } = await this.parse(UsersVerify)
    if (flags.token === undefined) {
      const owner = this.owner(flags)
      const { id } = await this.findUser(this.client(flags), args.user)
      await owner.update({ user: id, emailVerified: true })
    } else {
      const client = await this.clientForWrite(flags, `Verify the address of ${args.user}`)
      const { email, emailVerified } = await this.findUser(client, args.user)
      // Only the result shows whose token it was, so the user must be unverified before.
      if (emailVerified) throw misuse(`${email} is verified already.`, 'The token was not used.')
      await client.auth.verifyEmail(flags.token)
    }
    const user = await this.findUser(this.client(flags), args.user)
    if (!user.emailVerified) {
      throw misuse('The token belongs to another user.', `That user is verified now. ${user.email} is not.`)
    }

    this.note(`Verified ${user.email}.`)
    return user
  }
}
