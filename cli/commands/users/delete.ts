import { usersWord } from '../../../client/protocol/model/collection.js'
import { UserCommand, userArg } from '../../base/user-command.js'
import { findDependants, formatDependants } from '../../documents/dependants.js'

export default class UsersDelete extends UserCommand {
  static override hiddenAliases = ['users:rm']
  static override summary = 'Delete a user.'
  static override description =
    'Asks first; needs --yes without a terminal. Documents that link to the user follow onDelete of their schema. Works on the emulator only.'
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
    const target = this.requireTarget(flags)
    const dependants = await findDependants(target, usersWord, [id])
    if (dependants.length > 0) this.note(formatDependants(dependants))
    await this.confirm(`Delete ${email}?`, flags)
    const remove = () => owner.remove({ user: id })
    await (dependants.length > 0 ? this.undoably(target, `users delete ${email}`, flags, remove) : remove())

    this.note(`Deleted ${email}.`)
    return { id, email }
  }
}
