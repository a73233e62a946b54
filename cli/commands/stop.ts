import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import * as Flags from '@oclif/core/flags'
import { CliFailure, exits } from '../base/failure.js'
import { emulatorHere } from '../base/here.js'
import { SvcCommand } from '../base/svc-command.js'
import { nearby } from '../dev/box.js'
import { type EmulatorInfo, findEmulatorFile, readEmulatorFile, stateFolder } from '../target/emulator-file.js'
import { checkPresence, isProcessThere, isStillThere } from '../target/emulator-health.js'
import { isAccepted } from '../target/trust.js'
import { shellWord } from '../terminal/shell-word.js'

/** Allows for an emulator on a busy machine. */
const maxAnswerMilliseconds = 10_000
const maxStopSeconds = 5
const nothing = { stopped: false, pid: null, url: null }

export default class Stop extends SvcCommand {
  static override hiddenAliases = ['down']
  static override summary = 'Stop the emulator of this folder.'
  static override description =
    'Stops it like Ctrl-C; your data is saved. Leaves emulators of outer folders alone. Exits with 0 if no emulator runs, and with 7 if it does not answer.'
  static override examples = ['<%= config.bin %> stop', '<%= config.bin %> stop --data other/.svc --json']
  static override flags = {
    data: Flags.string({ description: `state folder of the emulator [default: ${stateFolder}]`, helpValue: 'folder' }),
  }

  protected readonly access = 'write'

  async run() {
    const { flags } = await this.parse(Stop)
    const emulator = emulatorHere(flags.data ?? stateFolder)
    // The pid in an old file may belong to another process by now, so the emulator must answer.
    const presence =
      emulator && isProcessThere(emulator) ? await checkPresence(emulator, maxAnswerMilliseconds) : 'gone'
    if (!emulator || presence === 'gone') return this.reportNothing(flags.data)
    if (presence === 'slow') throw notAnswering(emulator)
    process.kill(emulator.pid, 'SIGTERM')
    for (let ms = 0; isProcessThere(emulator); ms += 50) {
      if (ms > maxStopSeconds * 1000) {
        const hint = `Check it: ps -p ${emulator.pid}`
        throw new CliFailure(
          'NOT_STOPPED',
          exits.network,
          `Process ${emulator.pid} still runs after ${maxStopSeconds} s.`,
          hint,
        )
      }
      await wait(50)
    }
    this.note(`Stopped ${emulator.url}.`)
    return { stopped: true, pid: emulator.pid, url: emulator.url }
  }

  private async reportNothing(data: string | undefined) {
    const outer = data === undefined ? findEmulatorFile() : undefined
    const running = outer === undefined ? undefined : readEmulatorFile(outer)
    this.note(`No emulator runs in ${data === undefined ? 'this folder' : `"${data}"`}.`)
    if (outer === undefined || !running || !isAccepted({ path: outer, url: running.url })) return nothing
    if (await isStillThere(running)) {
      const folder = join(outer, '..')
      this.note(`An outer folder has one at ${running.url}. Stop it: svc stop --data ${shellWord(nearby(folder))}`)
    }
    return nothing
  }
}

/** Fails without ending the process, because it may not be an emulator. */
function notAnswering({ pid, url }: EmulatorInfo): CliFailure {
  const message = `Process ${pid} does not answer at ${url}. It was left alone, because it may not be the emulator.`
  const hint = `Check it: ps -p ${pid}. If it is an emulator: kill ${pid}`
  return new CliFailure('NOT_ANSWERING', exits.network, message, hint)
}
