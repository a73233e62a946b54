import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import { ControlCommand } from '../../base/control-command.js'
import { misuse } from '../../base/failure.js'
import { counted } from '../../terminal/print.js'
import { prose } from '../../terminal/prose.js'

export default class ConnectionsClose extends ControlCommand {
  static override summary = 'Close realtime connections.'
  static override description = prose(
    `Tests how an app handles a lost connection. A client that resumes reconnects and receives the events that it missed.`,
  )
  static override examples = ['<%= config.bin %> connections close c3', '<%= config.bin %> connections close --all']
  static override args = {
    id: Args.string({ description: 'id of the connection; see svc connections list' }),
  }
  static override flags = {
    all: Flags.boolean({ description: 'close all connections' }),
  }

  protected readonly access = 'write'

  async run() {
    const { args, flags } = await this.parse(ConnectionsClose)
    if ((args.id === undefined) !== (flags.all === true))
      throw misuse('Name one connection, or pass --all.', 'List the connections: svc connections list')
    const { connections } = this.control(flags)
    const ids = args.id === undefined ? (await connections.list()).connections.map(({ id }) => id) : [args.id]
    const closed: string[] = []
    for (const connection of ids) closed.push((await connections.close({ connection })).id)

    this.note(`Closed ${counted(closed.length, 'connection')}.`)
    return { closed }
  }
}
