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

/** How long an emulator on a busy machine may take to answer. */
const mostMilliseconds = 10_000
const mostSeconds = 5
const nothing = { stopped: false, pid: null, url: null }

export default class Stop extends SvcCommand {
  static override summary = 'Stop the emulator of this folder.'
  static override description =
    'As Ctrl-C does: what was answered is kept. One of an outer folder is left alone. Where none runs, it says so, and exits with 0; one that does not answer is left alone, and it exits with 7.'
  static override examples = ['<%= config.bin %> stop', '<%= config.bin %> stop --data other/.svc --json']
  static override flags = {
    data: Flags.string({ description: `state folder of the emulator [default: ${stateFolder}]`, helpValue: 'folder' }),
  }

  async run() {
    const { flags } = await this.parse(Stop)
    const emulator = emulatorHere(flags.data ?? stateFolder)
    // A number in an old file may be another process's by now; only one that answers is ours.
    const presence = emulator && isProcessThere(emulator) ? await checkPresence(emulator, mostMilliseconds) : 'gone'
    if (!emulator || presence === 'gone') return this.stopsNothing(flags.data)
    if (presence === 'slow') throw notAnswering(emulator)
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

  private async stopsNothing(data: string | undefined) {
    const outer = data === undefined ? findEmulatorFile() : undefined
    const running = outer === undefined ? undefined : readEmulatorFile(outer)
    this.note(`no emulator runs in ${data === undefined ? 'this folder' : `"${data}"`}; nothing to stop`)
    if (outer === undefined || !running || !isAccepted({ path: outer, url: running.url })) return nothing
    if (await isStillThere(running)) {
      const folder = join(outer, '..')
      this.note(
        `one of an outer folder runs at ${running.url}; it would be: svc stop --data ${shellWord(nearby(folder))}`,
      )
    }
    return nothing
  }
}

/** It is neither ended, since it may be another process, nor taken for one that has ended. */
function notAnswering({ pid, url }: EmulatorInfo): CliFailure {
  const message = `Process ${pid} does not answer at ${url}, and was left alone: it may be another one by now.`
  const hint = `Look at it: ps -p ${pid}. If it is an emulator: kill ${pid}`
  return new CliFailure('NOT_ANSWERING', exits.network, message, hint)
}
