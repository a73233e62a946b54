import type { ConnectionRecord } from '../../../client/protocol/control/connections.js'
import { formatBytes } from '../../../client/protocol/model/figures.js'
import { ControlCommand } from '../../base/control-command.js'
import { type Row, table } from '../../terminal/print.js'
import { prose } from '../../terminal/prose.js'
import { shortTime } from '../../terminal/short-time.js'

export default class ConnectionsList extends ControlCommand {
  static override hiddenAliases = ['connections:ls']
  static override summary = 'List open realtime connections.'
  static override description =
    prose(`Shows a row for each subscription, with its filters and its lag, in changes of the project. "sent" and "waiting" count the bytes
of the connection. The client has not received waiting bytes yet.`)
  static override examples = [
    '<%= config.bin %> connections list',
    '<%= config.bin %> connections list --json | jq length',
  ]

  protected readonly access = 'read'

  async run() {
    const { flags } = await this.parse(ConnectionsList)
    const { connections } = await this.control(flags).connections.list()

    if (connections.length === 0) this.note('No open connections.')
    else this.log(table(connections.flatMap(connectionRows)))
    return connections
  }
}

/** Names the connection only in the first row of its subscriptions. */
function connectionRows(connection: ConnectionRecord): Row[] {
  const { id, transport, who, email, openedAt, subscriptions, bytesSent, waitingBytes } = connection
  const head = { id, transport, who: email ?? who, openedAt: shortTime(openedAt) }
  const foot = { sent: formatBytes(bytesSent), waiting: formatBytes(waitingBytes) }
  const [first, ...more] = subscriptions.map(({ collection, filters, position, lag }) => {
    const isFiltered = Object.keys(filters).length > 0
    return { collection, filters: isFiltered ? JSON.stringify(filters) : '', position, lag }
  })
  const none = { collection: '', filters: '', position: null, lag: null }
  return [{ ...head, ...(first ?? none), ...foot }, ...more]
}
