import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import { dataFlag, emulatorHere, noEmulator } from '../base/here.js'
import { SvcCommand } from '../base/svc-command.js'
import { isAnswering } from '../target/emulator-health.js'
import { openInBrowser } from '../terminal/browser.js'
import { printable } from '../terminal/text-width.js'

export default class Open extends SvcCommand {
  static override summary = "Open the emulator's page in the browser."
  static override examples = ['<%= config.bin %> open', '<%= config.bin %> open data --print']
  static override args = { page: Args.string({ description: 'page to open [default: the first one]' }) }
  static override flags = {
    data: dataFlag,
    print: Flags.boolean({ description: 'print the address instead' }),
  }

  async run() {
    const { args, flags } = await this.parse(Open)
    const emulator = emulatorHere(flags.data)
    if (!emulator || !(await isAnswering(emulator.url))) throw noEmulator(flags.data)
    const url = new URL(`./${args.page ?? ''}`, `${emulator.dashboardUrl.replace(/\/*$/, '')}/`).href
    const isOpened = !flags.print && !this.jsonEnabled() && process.stdout.isTTY === true && !process.env.CI

    if (isOpened) {
      await openInBrowser(url)
      this.note(`opening ${url}`)
    } else this.log(printable(url))
    return { url, isOpened }
  }
}
