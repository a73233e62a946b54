import { setTimeout as pause } from 'node:timers/promises'
import * as Flags from '@oclif/core/flags'
import { dataFlag } from '../base/here.js'
import { stopSignal } from '../base/stop-signal.js'
import { SvcCommand } from '../base/svc-command.js'
import { nearby } from '../dev/box.js'
import { followLogs, type LogEntry, type LogName, lastEntries } from '../logs/log-files.js'
import { logLine } from '../logs/log-line.js'
import { stateFolderHere } from '../target/emulator-file.js'
import { onStdout } from '../terminal/colour.js'
import { prose } from '../terminal/prose.js'
import { jsonText } from '../terminal/text-width.js'

const betweenLooksMilliseconds = 200

export default class Logs extends SvcCommand {
  static override summary = 'Show the request and error logs of the emulator.'
  static override description =
    prose(`Reads the logs in the state folder. The emulator need not run. A request has its method, path, status, duration and
caller, but no body, key or query.

With -f, follows the logs until Ctrl-C. With -f and --json, prints {"type":"ready"} and then one line per entry.`)
  static override examples = [
    '<%= config.bin %> logs',
    '<%= config.bin %> logs -f --only requests',
    '<%= config.bin %> logs --last 1000 --json',
  ]
  static override flags = {
    data: dataFlag,
    follow: Flags.boolean({ char: 'f', description: 'follow the logs' }),
    last: Flags.integer({
      char: 'n',
      min: 0,
      default: 50,
      description: 'number of entries to show, counted from the last',
    }),
    only: Flags.option({
      options: ['requests', 'failures'] as const satisfies readonly LogName[],
      description: 'show only one kind of entry',
    })(),
  }

  private isFollowing = false

  protected override printsLines(): boolean {
    return this.isFollowing
  }

  protected readonly access = 'read'

  async run() {
    const { flags } = await this.parse(Logs)
    const folder = stateFolderHere(flags.data)
    const names: readonly LogName[] = flags.only ? [flags.only] : ['requests', 'failures']
    const reader = followLogs(folder, names)
    const entries = lastEntries(folder, names, flags.last)
    this.isFollowing = flags.follow
    if (!flags.follow) {
      for (const entry of entries) this.log(logLine(entry, onStdout))
      if (entries.length === 0 && flags.last > 0) this.note(`No log entries in ${nearby(folder)}.`)
      return { folder, entries }
    }
    if (this.jsonEnabled()) this.line({ type: 'ready' })
    for (const entry of entries) this.tell(entry)
    const stop = stopSignal()
    while (!stop.signal.aborted) {
      await pause(betweenLooksMilliseconds, undefined, { signal: stop.signal }).catch(() => undefined)
      for (const entry of reader.next()) this.tell(entry)
    }
    process.exitCode = stop.exit()
    return undefined
  }

  private tell(entry: LogEntry): void {
    if (this.jsonEnabled()) this.line(entry)
    else this.log(logLine(entry, onStdout))
  }

  private line(value: object): void {
    process.stdout.write(`${jsonText(value)}\n`)
  }
}
