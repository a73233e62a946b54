import * as Args from '@oclif/core/args'
import { ClockCommand } from '../../base/clock-command.js'
import { misuse } from '../../base/failure.js'
import { clockText } from '../../clock.js'

export default class ClockSet extends ClockCommand {
  static override summary = "Set the emulator's clock."
  static override description = 'The clock runs on from there, until svc clock reset or a restart of the emulator.'
  static override examples = [
    '<%= config.bin %> clock set 2030-01-01',
    '<%= config.bin %> clock set 2028-02-29T12:00:00+01:00 --json',
  ]
  static override args = {
    time: Args.string({
      required: true,
      description: 'ISO 8601 date or time; UTC unless it has a time zone',
    }),
  }

  protected readonly access = 'write'

  async run() {
    const { args, flags } = await this.parse(ClockSet)
    const time = await this.clock(flags).change({ now: readMoment(args.time) })
    this.log(clockText(time))
    return time
  }
}

const form = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(Z|[+-]\d\d:\d\d)?)?$/

function readMoment(text: string): string {
  const [match, day, time, zone] = form.exec(text) ?? []
  const moment = new Date(match && time && !zone ? `${match}Z` : text)
  if (!match || Number.isNaN(moment.getTime()) || !isDay(day)) {
    throw misuse(`Invalid date or time "${text}".`, 'Use ISO 8601, for example 2030-01-31 or 2030-01-31T12:00:00Z.')
  }
  return moment.toISOString()
}

/** Refuses February 31st, which JavaScript would read as March 3rd. */
function isDay(day = ''): boolean {
  return new Date(`${day}T00:00:00Z`).toISOString().startsWith(day)
}
