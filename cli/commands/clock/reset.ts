import { ControlCommand } from '../../base/control-command.js'
import { clockText } from '../../clock.js'

export default class ClockReset extends ControlCommand {
  static override summary = "Reset the emulator's clock to the system time."
  static override examples = ['<%= config.bin %> clock reset', '<%= config.bin %> clock reset --json']

  async run() {
    const { flags } = await this.parse(ClockReset)
    const time = await this.control(flags).clock.reset()
    this.log(clockText(time))
    return time
  }
}
