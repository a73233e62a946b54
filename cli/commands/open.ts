import { join } from 'node:path'
import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import type { DashboardPage } from '../../client/protocol/model/dashboard-pages.js'
import { dataFlag, emulatorHere, noEmulatorAsked } from '../base/here.js'
import { SvcCommand } from '../base/svc-command.js'
import { nearby } from '../dev/box.js'
import { dashboardAddress, dashboardPages, dashboardPageUrl } from '../target/dashboard-address.js'
import { stateFolderHere } from '../target/emulator-file.js'
import { isStillThere, patientMilliseconds } from '../target/emulator-health.js'
import { openDashboard } from '../target/open-dashboard.js'
import { onlyOnTerminal } from '../terminal/secrets.js'
import { printable } from '../terminal/text-width.js'

export default class Open extends SvcCommand {
  static override summary = 'Open the dashboard in the browser.'
  static override description =
    'The fragment of the URL holds the control token, which authorizes the dashboard. Browsers do not send fragments to servers.'
  static override examples = [
    '<%= config.bin %> open',
    '<%= config.bin %> open data posts',
    '<%= config.bin %> open requests --print',
  ]
  static override args = {
    page: Args.custom<DashboardPage>({ description: 'page to open', options: dashboardPages, default: 'home' })(),
    id: Args.string({
      description: 'item to open: a collection, posts/<id>, or the id of a user, mail or request',
    }),
  }
  static override flags = {
    data: dataFlag,
    print: Flags.boolean({ description: 'print the address and its token, even to a pipe' }),
  }

  protected readonly access = 'read'

  async run() {
    const { args, flags } = await this.parse(Open)
    const emulator = emulatorHere(flags.data)
    if (!emulator || !(await isStillThere(emulator, patientMilliseconds))) throw noEmulatorAsked(flags.data)
    const url = dashboardAddress(emulator, args.page, args.id)
    const place = dashboardPageUrl(emulator, args.page, args.id)
    const file = join(stateFolderHere(flags.data), 'emulator.json')
    const isOpened = !flags.print && !this.jsonEnabled() && process.stdout.isTTY === true && !process.env.CI

    if (isOpened) {
      await openDashboard(emulator, stateFolderHere(flags.data), args.page, args.id)
      this.note(`opening ${place}`)
    } else {
      const shown = flags.print ? url : onlyOnTerminal(url, place)
      this.log(printable(shown))
      if (shown === place) this.note(`The control token is in ${nearby(file)}. --print prints it with the address.`)
    }
    return { url, isOpened }
  }
}
