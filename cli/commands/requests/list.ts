import { ControlCommand } from '../../base/control-command.js'
import { filterFlags, readFilter } from '../../requests/filter-flags.js'
import { requestRow } from '../../requests/request-lines.js'
import { limitFlag } from '../../terminal/limit-flag.js'
import { table } from '../../terminal/print.js'
import { prose } from '../../terminal/prose.js'

export default class RequestsList extends ControlCommand {
  static override summary = 'List the last requests to the emulator, the newest first.'
  static override description =
    prose(`The emulator keeps the last 1,000 in memory, and the last 200 refused ones of each project, with what is secret in them masked. The setting requestLog of a project
switches it off.`)
  static override examples = [
    '<%= config.bin %> requests list',
    '<%= config.bin %> requests list --status 4xx,5xx --path /collections/posts',
    '<%= config.bin %> requests list --user ada@example.com --slow 100 --json',
  ]
  static override flags = {
    ...filterFlags,
    limit: limitFlag('requests'),
  }

  async run() {
    const { flags } = await this.parse(RequestsList)
    const filter = await readFilter(this.emulator(flags), flags)
    const { isOn, requests, kept } = await this.control(flags).requests.list({ ...filter, limit: flags.limit })

    if (requests.length > 0) this.log(table(requests.map(requestRow)))
    else if (!isOn) this.note('Request recording is off. Turn it on: svc project set requestLog:=true')
    else this.note(kept === 0 ? 'No requests yet.' : `None of the ${kept} requests that are kept is like that.`)
    return requests
  }
}
