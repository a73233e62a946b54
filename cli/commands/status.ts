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
    'Shows database, free disk space, open streams, clock and limits. Exits with 8 if no emulator runs.'
  static override examples = ['<%= config.bin %> status', 'eval "$(<%= config.bin %> status --env)"']
  static override flags = {
    data: dataFlag,
    env: Flags.boolean({ description: 'print shell exports of address and key' }),
  }

  protected readonly access = 'read'

  async run() {
    const { flags } = await this.parse(Status)
    const emulator = emulatorHere(flags.data)
    const presence = emulator ? await checkPresence(emulator, patientMilliseconds) : 'gone'
    if (!emulator || presence === 'gone') throw noEmulatorAsked(flags.data)
    if (presence === 'slow') this.note(`${emulator.url} does not answer at the moment. Process ${emulator.pid} runs.`)
    // The control token grants full access, so it is never printed.
    const { controlToken: _, ...shown } = emulator
    // Emulators of earlier versions have no info.
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

function quoted(text: string): string {
  return `'${printable(text).replaceAll("'", "'\\''")}'`
}
