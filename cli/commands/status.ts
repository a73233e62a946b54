import * as Flags from '@oclif/core/flags'
import { dataFlag, emulatorHere, noEmulatorAsked } from '../base/here.js'
import { SvcCommand } from '../base/svc-command.js'
import { servedBranch } from '../git/served-branch.js'
import { openControl } from '../target/control.js'
import { checkPresence, patientMilliseconds } from '../target/emulator-health.js'
import { infoRows } from '../target/info-rows.js'
import { record } from '../terminal/print.js'
import { printable } from '../terminal/text-width.js'

export default class Status extends SvcCommand {
  static override summary = 'Show the status of the emulator of this folder.'
  static override description =
    'Shows its database, free disk, open streams, clock and limits. Exits with 8 when none runs. --env prints exports for a shell.'
  static override examples = ['<%= config.bin %> status', 'eval "$(<%= config.bin %> status --env)"']
  static override flags = {
    data: dataFlag,
    env: Flags.boolean({ description: 'print exports for a shell' }),
  }

  async run() {
    const { flags } = await this.parse(Status)
    const emulator = emulatorHere(flags.data)
    const presence = emulator ? await checkPresence(emulator, patientMilliseconds) : 'gone'
    if (!emulator || presence === 'gone') throw noEmulatorAsked(flags.data)
    if (presence === 'slow') this.note(`${emulator.url} does not answer now; process ${emulator.pid} is there.`)
    // The control token opens everything; it stays in its file.
    const { controlToken: _, ...shown } = emulator
    // An emulator of an earlier version does not say.
    const info =
      presence === 'slow' || (flags.env && !this.jsonEnabled())
        ? undefined
        : await openControl(emulator)
            .info.get()
            .catch(() => undefined)
    const branch = await servedBranch(emulator.dataDir)
    const env = { SVC_URL: emulator.url, SVC_API_KEY: emulator.apiKey, SVC_WS_URL: emulator.wsUrl }

    if (flags.env) for (const [name, value] of Object.entries(env)) this.log(`export ${name}=${quoted(value)}`)
    else this.log(record({ ...shown, ...branch, ...(info ? infoRows(info) : {}) }))
    return { ...shown, ...branch, ...(info ? { info } : {}), env }
  }
}

/** As a shell takes it for one word, whatever is in it. */
function quoted(text: string): string {
  return `'${printable(text).replaceAll("'", "'\\''")}'`
}
