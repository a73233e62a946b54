import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import { ControlCommand } from '../../base/control-command.js'
import { misuse } from '../../base/failure.js'
import { counted } from '../../terminal/print.js'
import { prose } from '../../terminal/prose.js'

export default class ConnectionsClose extends ControlCommand {
  static override summary = 'Close connections for realtime events.'
  static override description = prose(
    `To see what an app does when its connection breaks. A client that resumes comes back and receives what it missed.`,
  )
  static override examples = ['<%= config.bin %> connections close c3', '<%= config.bin %> connections close --all']
  static override args = {
    id: Args.string({ description: 'id of a connection, as svc connections list shows it' }),
  }
  static override flags = {
    all: Flags.boolean({ description: 'all that are open' }),
  }

  async run() {
    const { args, flags } = await this.parse(ConnectionsClose)
    if ((args.id === undefined) !== (flags.all === true))
      throw misuse('Name one connection, or say --all.', 'See: svc connections list')
    const { connections } = this.control(flags)
    const ids = args.id === undefined ? (await connections.list()).connections.map(({ id }) => id) : [args.id]
    const closed: string[] = []
    for (const connection of ids) closed.push((await connections.close({ connection })).id)

    this.note(`${counted(closed.length, 'connection')} closed.`)
    return { closed }
  }
}
