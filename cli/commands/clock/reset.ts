import { ClockCommand } from '../../base/clock-command.js'
import { clockText } from '../../clock.js'

export default class ClockReset extends ClockCommand {
  static override summary = "Reset the emulator's clock to the system time."
  static override description = "With --project, that project follows the emulator's clock again."
  static override examples = ['<%= config.bin %> clock reset', '<%= config.bin %> clock reset --json']

  protected readonly access = 'write'

  async run() {
    const { flags } = await this.parse(ClockReset)
    const time = await this.clock(flags).reset()
    this.log(clockText(time))
    return time
  }
}
