import { UserCommand, userArg } from '../../base/user-command.js'

export default class UsersDelete extends UserCommand {
  static override hiddenAliases = ['users:rm']
  static override summary = 'Delete a user.'
  static override description =
    'Asks first; needs --yes without a terminal. Links to the user obey `onDelete` of their schema. Works on the emulator only.'
  static override examples = [
    '<%= config.bin %> users delete ada@example.com',
    '<%= config.bin %> users delete ada@example.com --yes --json',
  ]
  static override args = { user: userArg }

  protected readonly access = 'write'

  async run() {
    const { args, flags } = await this.parse(UsersDelete)
    const owner = this.owner(flags)
    const { id, email } = await this.findUser(this.client(flags), args.user)
    await this.confirm(`Delete ${email}?`, flags)
    await owner.remove({ user: id })

    this.note(`Deleted ${email}.`)
    return { id, email }
  }
}
