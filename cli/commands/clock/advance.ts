import * as Args from '@oclif/core/args'
import { ClockCommand } from '../../base/clock-command.js'
import { clockText } from '../../clock.js'
import { readDuration } from '../../terminal/duration.js'

export default class ClockAdvance extends ClockCommand {
  static override summary = "Move the emulator's clock forward."
  static override description =
    "Tokens, codes, rate limits and the delay between mails follow the clock. To move it back, add two dashes: svc clock advance -- -1h. After --project, that project no longer follows the emulator's clock."
  static override examples = ['<%= config.bin %> clock advance 61m', '<%= config.bin %> clock advance 1d12h --json']
  static override args = {
    by: Args.string({ required: true, description: 'duration: 90s, 61m, 25h, 1h30m, 2d' }),
  }

  protected readonly access = 'write'

  async run() {
    const { args, flags } = await this.parse(ClockAdvance)
    const time = await this.clock(flags).change({ advance: readDuration(args.by) })
    this.log(clockText(time))
    return time
  }
}
