import { ControlCommand } from '../../base/control-command.js'
import { filterFlags, readFilter } from '../../requests/filter-flags.js'
import { requestRow } from '../../requests/request-lines.js'
import { limitFlag } from '../../terminal/limit-flag.js'
import { table } from '../../terminal/print.js'
import { prose } from '../../terminal/prose.js'

export default class RequestsList extends ControlCommand {
  static override hiddenAliases = ['requests:ls']
  static override summary = 'List recent requests to the emulator, newest first.'
  static override description =
    prose(`The emulator keeps the last 1,000 requests in memory, and the last 200 refused ones of each project, with masked secrets. To turn
this off: svc project set requestLog:=false`)
  static override examples = [
    '<%= config.bin %> requests list',
    '<%= config.bin %> requests list --status 4xx,5xx --path /collections/posts',
    '<%= config.bin %> requests list --user ada@example.com --slow 100 --json',
  ]
  static override flags = {
    ...filterFlags,
    limit: limitFlag('requests'),
  }

  protected readonly access = 'read'

  async run() {
    const { flags } = await this.parse(RequestsList)
    const filter = await readFilter(this.emulator(flags), flags)
    const { isOn, requests, kept } = await this.control(flags).requests.list({ ...filter, limit: flags.limit })

    if (requests.length > 0) this.log(table(requests.map(requestRow)))
    else if (!isOn) this.note('The request log is off. Turn it on: svc project set requestLog:=true')
    else this.note(kept === 0 ? 'No requests yet.' : `None of the ${kept} recorded requests matches.`)
    return requests
  }
}
