import { setTimeout as pause } from 'node:timers/promises'
import * as Flags from '@oclif/core/flags'
import type { RequestSummary } from '../../../client/protocol/control/requests.js'
import { ControlCommand } from '../../base/control-command.js'
import { stopSignal } from '../../base/stop-signal.js'
import { filterFlags, readFilter } from '../../requests/filter-flags.js'
import { requestLine } from '../../requests/request-lines.js'
import { tooFew } from '../../tail/ending.js'
import { onStderr } from '../../terminal/colour.js'
import { asDuration } from '../../terminal/duration-flag.js'
import { prose } from '../../terminal/prose.js'
import { jsonText } from '../../terminal/text-width.js'

const pollMilliseconds = 250

export default class RequestsTail extends ControlCommand {
  static override summary = 'Stream requests to the emulator.'
  static override description =
    prose(`Runs until Ctrl-C. With --json, prints one JSON object per line: first {"type":"ready"}, then {"type":"request"} for each request. Exits
with 7 if fewer requests than --max came within --timeout.`)
  static override examples = [
    '<%= config.bin %> requests tail',
    '<%= config.bin %> requests tail --status 4xx,5xx',
    '<%= config.bin %> requests tail --last 10 --json',
  ]
  static override flags = {
    ...filterFlags,
    last: Flags.integer({
      char: 'n',
      min: 0,
      max: 1_000,
      default: 0,
      description: 'number of past requests to show first',
    }),
    max: Flags.integer({ min: 1, description: 'stop after this many requests' }),
    timeout: Flags.integer({
      ...asDuration({ unit: 's' }),
      description: 'stop after this time: 30s, 5m, or a number of seconds',
    }),
  }

  protected override printsLines(): boolean {
    return true
  }

  protected readonly access = 'read'

  async run() {
    const { flags } = await this.parse(RequestsTail)
    const { requests } = this.control(flags)
    const filter = await readFilter(this.emulator(flags), flags)
    const stop = stopSignal()
    const end =
      flags.timeout === undefined
        ? stop.signal
        : AbortSignal.any([stop.signal, AbortSignal.timeout(Math.round(1000 * flags.timeout))])
    let left = flags.max ?? Number.POSITIVE_INFINITY
    const tell = (request: RequestSummary) => {
      if (left-- <= 0) return
      if (this.jsonEnabled()) this.line({ type: 'request', request })
      else this.log(requestLine(request))
    }
    try {
      const { requests: before } = await requests.list({ ...filter, limit: Math.max(1, flags.last) })
      let after = (await requests.list({ limit: 1 })).requests[0]?.id
      if (this.jsonEnabled()) this.line({ type: 'ready' })
      this.note('Listening. Press Ctrl-C to stop.', onStderr.dim)
      before.slice(0, flags.last).reverse().forEach(tell)
      while (left > 0 && !end.aborted) {
        await pause(pollMilliseconds, undefined, { signal: end }).catch(() => undefined)
        if (end.aborted) break
        const { requests: found } = await requests.list({ ...filter, after, limit: 1_000 })
        after = found[0]?.id ?? after
        found.reverse().forEach(tell)
      }
    } finally {
      stop.release()
    }
    if (stop.signal.aborted) process.exitCode = stop.exit()
    else if (flags.max !== undefined && left > 0) throw tooFew(flags.max - left, flags.max, 'requests', flags.timeout)
  }

  private line(value: object): void {
    process.stdout.write(`${jsonText(value)}\n`)
  }
}
