import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import { isAnswering } from '../emulator-health.js'
import { dataFlag, emulatorHere } from '../here.js'
import { SvcCommand } from '../svc-command.js'
import { notRunning } from '../target.js'

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
    if (!emulator || !(await isAnswering(emulator.url))) throw notRunning()
    const url = new URL(args.page ?? '', `${emulator.dashboardUrl.replace(/\/*$/, '')}/`).href
    const isOpened = !flags.print && !this.jsonEnabled() && process.stdout.isTTY === true && !process.env.CI

    if (isOpened) {
      const { default: open } = await import('open')
      await open(url)
      this.note(`opened ${url}`)
    } else this.log(url)
    return { url, isOpened }
  }
}
