import { ClockCommand } from '../../base/clock-command.js'
import { clockText } from '../../clock.js'

export default class ClockShow extends ClockCommand {
  static override summary = "Show the emulator's time and its offset from the system time."
  static override examples = ['<%= config.bin %> clock show', '<%= config.bin %> clock show --json']

  protected readonly access = 'read'

  async run() {
    const { flags } = await this.parse(ClockShow)
    const time = await this.clock(flags).get()
    this.log(clockText(time))
    return time
  }
}
