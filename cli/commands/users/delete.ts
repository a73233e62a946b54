import { usersWord } from '../../../client/protocol/model/collection.js'
import { dryRunFlag } from '../../base/dry-run-flag.js'
import type { CommandInput } from '../../base/service-command.js'
import { UserCommand, userArg } from '../../base/user-command.js'
import { findDependants, formatDependants, formatPlan, planDeletion } from '../../documents/dependants.js'

export default class UsersDelete extends UserCommand {
  static override hiddenAliases = ['users:rm']
  static override summary = 'Delete a user.'
  static override description =
    'Asks first; needs --yes without a terminal. Documents that link to the user follow onDelete of their schema. Works on the emulator only.'
  static override examples = [
    '<%= config.bin %> users delete ada@example.com',
    '<%= config.bin %> users delete ada@example.com --yes --json',
    '<%= config.bin %> users delete ada@example.com --dry-run',
  ]
  static override args = { user: userArg }
  static override flags = { 'dry-run': dryRunFlag }

  protected readonly access = ({ flags }: CommandInput) => (flags['dry-run'] ? 'read' : 'write')

  async run() {
    const { args, flags } = await this.parse(UsersDelete)
    const owner = this.owner(flags)
    const { id, email } = await this.findUser(this.client(flags), args.user)
    const target = this.requireTarget(flags)
    if (flags['dry-run']) {
      const dependants = await planDeletion(target, { to: usersWord, ids: [id] })
      for (const line of formatPlan(email, dependants)) this.log(line)
      return { id, email, dependants }
    }
    const dependants = await findDependants(target, { to: usersWord, ids: [id] })
    if (dependants.length > 0) this.note(formatDependants(dependants))
    await this.confirm(`Delete ${email}?`, flags)
    const remove = () => owner.remove({ user: id })
    await (dependants.length > 0 ? this.undoably(target, `users delete ${email}`, flags, remove) : remove())

    this.note(`Deleted ${email}.`)
    return { id, email }
  }
}
