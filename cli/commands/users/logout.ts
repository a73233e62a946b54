import * as Flags from '@oclif/core/flags'
import { UserCommand, userArg } from '../../base/user-command.js'

export default class UsersLogout extends UserCommand {
  static override summary = 'End the sessions of a user.'
  static override description = 'Ends all sessions, as the owner of the emulator, or one with --token.'
  static override examples = [
    '<%= config.bin %> users logout ada@example.com',
    '<%= config.bin %> users logout ada@example.com --token "$TOKEN" --json',
  ]
  static override args = { user: userArg }
  static override flags = {
    token: Flags.string({ description: 'token of the session to end [default: all sessions]' }),
  }

  protected readonly access = 'write'

  async run() {
    const { args, flags } = await this.parse(UsersLogout)
    if (flags.token !== undefined) {
      const what = `End a session of ${args.user}`
      const client = await this.clientAs(flags, { who: args.user, token: flags.token, what })
      await client.auth.logOut()
    } else {
      const owner = this.owner(flags)
      const { id } = await this.findUser(this.client(flags), args.user)
      await owner.logOut({ user: id })
    }

    this.note(flags.token === undefined ? `Ended all sessions of ${args.user}.` : 'Ended the session.')
    return { user: args.user, sessions: flags.token === undefined ? 'all' : 'one' }
  }
}
