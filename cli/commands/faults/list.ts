import { ControlCommand } from '../../base/control-command.js'
import { faultRow } from '../../faults/fault-rows.js'
import { table } from '../../terminal/print.js'

export default class FaultsList extends ControlCommand {
  static override hiddenAliases = ['faults:ls']
  static override summary = 'List the active faults of all projects.'
  static override examples = ['<%= config.bin %> faults list', '<%= config.bin %> faults list --json']

  protected readonly access = 'read'

  async run() {
    const { flags } = await this.parse(FaultsList)
    const { faults } = await this.control(flags).faults.list()

    if (faults.length === 0) this.note('No active faults.')
    else this.log(table(faults.map(faultRow)))
    return faults
  }
}
