import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import { ControlCommand } from '../../base/control-command.js'
import { misuse } from '../../base/failure.js'
import { counted } from '../../terminal/print.js'

export default class FaultsRemove extends ControlCommand {
  static override hiddenAliases = ['faults:rm']
  static override summary = 'Remove a fault, or all of them.'
  static override examples = ['<%= config.bin %> faults remove f1', '<%= config.bin %> faults remove --all']
  static override args = { id: Args.string({ description: 'id of the fault; see svc faults list' }) }
  static override flags = { all: Flags.boolean({ description: 'all faults of all projects' }) }

  protected readonly access = 'write'

  async run() {
    const { args, flags } = await this.parse(FaultsRemove)
    const { faults } = this.control(flags)
    if ((flags.all ?? false) === (args.id !== undefined))
      throw misuse('Name one fault, or pass --all.', 'List the faults: svc faults list')
    if (args.id !== undefined) {
      const removed = await faults.remove({ fault: args.id })
      this.note(`Removed fault ${removed.id}.`)
      return removed
    }
    const cleared = await faults.clear()
    this.note(`Removed ${counted(cleared.count, 'fault')}.`)
    return cleared
  }
}
