import { clockText, readClock } from '../../clock.js'
import { ControlCommand } from '../../control-command.js'

export default class ClockShow extends ControlCommand {
  static override summary = 'Show what time it is for the emulator, and how far that is ahead.'
  static override examples = ['<%= config.bin %> clock show', '<%= config.bin %> clock show --json']

  async run() {
    const { flags } = await this.parse(ClockShow)
    const time = await readClock(this.control(flags))
    this.log(clockText(time))
    return time
  }
}
