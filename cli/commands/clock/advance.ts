import * as Args from '@oclif/core/args'
import { ControlCommand } from '../../base/control-command.js'
import { clockText } from '../../clock.js'
import { readDuration } from '../../terminal/duration.js'

export default class ClockAdvance extends ControlCommand {
  static override summary = "Move the emulator's clock forward."
  static override description =
    'Tokens, codes, rate windows and the minute between mails follow it. Back it goes after two dashes: -- -1h.'
  static override examples = ['<%= config.bin %> clock advance 61m', '<%= config.bin %> clock advance 1d12h --json']
  static override args = {
    by: Args.string({ required: true, description: 'how far: 90s, 61m, 25h, 1h30m, 2d' }),
  }

  async run() {
    const { args, flags } = await this.parse(ClockAdvance)
    const time = await this.control(flags).clock.change({ advance: readDuration(args.by) })
    this.log(clockText(time))
    return time
  }
}
