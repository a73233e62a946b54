import { setTimeout as wait } from 'node:timers/promises'
import { isAnswering, isProcessThere } from '../emulator-health.js'
import { CliFailure, exits } from '../failure.js'
import { dataFlag, emulatorHere, noEmulator } from '../here.js'
import { SvcCommand } from '../svc-command.js'

const mostSeconds = 5

export default class Stop extends SvcCommand {
  static override summary = 'Stop the emulator of this folder.'
  static override description = 'As Ctrl-C does: what was answered is kept. Exits with 8 when none runs.'
  static override examples = ['<%= config.bin %> stop', '<%= config.bin %> stop --data other/.svc --json']
  static override flags = { data: dataFlag }

  async run() {
    const { flags } = await this.parse(Stop)
    const emulator = emulatorHere(flags.data)
    // A number in an old file may be another process's by now; only one that answers is ours.
    if (!emulator || !(await isAnswering(emulator.url)) || !isProcessThere(emulator)) throw noEmulator(flags.data)
    process.kill(emulator.pid, 'SIGTERM')
    for (let ms = 0; isProcessThere(emulator); ms += 50) {
      if (ms > mostSeconds * 1000) {
        const hint = `Look at it: ps -p ${emulator.pid}`
        throw new CliFailure(
          'NOT_STOPPED',
          exits.network,
          `Process ${emulator.pid} still runs after ${mostSeconds} s.`,
          hint,
        )
      }
      await wait(50)
    }
    this.note(`${emulator.url} is stopped`)
    return { stopped: true, pid: emulator.pid, url: emulator.url }
  }
}
