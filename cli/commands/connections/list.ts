import type { ConnectionRecord } from '../../../client/protocol/control/connections.js'
import { formatBytes } from '../../../client/protocol/model/figures.js'
import { ControlCommand } from '../../base/control-command.js'
import { type Row, table } from '../../terminal/print.js'
import { prose } from '../../terminal/prose.js'
import { shortTime } from '../../terminal/short-time.js'

export default class ConnectionsList extends ControlCommand {
  static override hiddenAliases = ['connections:ls']
  static override summary = 'List the open connections for realtime events.'
  static override description =
    prose(`A row for each subscription: to what, with which filters, and how many changes of the project it is behind. Bytes are those of
the connection; "waiting" are those that the other end has not taken yet.`)
  static override examples = [
    '<%= config.bin %> connections list',
    '<%= config.bin %> connections list --json | jq length',
  ]

  async run() {
    const { flags } = await this.parse(ConnectionsList)
    const { connections } = await this.control(flags).connections.list()

    if (connections.length === 0) this.note('No connection is open.')
    else this.log(table(connections.flatMap(rowsOf)))
    return connections
  }
}

/** The connection is named in the first row of its subscriptions. */
function rowsOf(connection: ConnectionRecord): Row[] {
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
