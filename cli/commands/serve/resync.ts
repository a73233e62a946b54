import { SvcCommand } from '../../base/svc-command.js'
import { databaseFlags, readDatabasePlace } from '../../serve/serve-flags.js'
import { prose } from '../../terminal/prose.js'

export default class ServeResync extends SvcCommand {
  static override summary = 'Make all subscribers resync after a restore.'
  static override description =
    prose(`Each change has a number, and a subscriber goes on behind the last one it has seen. A restored backup, or a standby that was
promoted before it had everything, has lost the latest numbers, and would give them again to other changes: a subscriber that knows the lost ones
would miss those. This leaves them out, and sends RESYNC to subscribers, also to those that come back.

Run it before the first start on a restored database. Processes may run as well. It applies the migrations that the database lacks, as a
start does. The address of the database is all that it needs.`)
  static override examples = [
    '<%= config.bin %> serve resync',
    'SVC_DATABASE_URL=postgres://svc@db/restored <%= config.bin %> serve resync --yes --json',
  ]
  static override flags = databaseFlags

  async run() {
    const { flags } = await this.parse(ServeResync)
    const place = readDatabasePlace(flags)
    await this.confirm('Make all subscribers of this database resync?', flags)
    const { resyncSubscribers } = await import('../../../emulator/serve.js')
    const projects = await resyncSubscribers(place)
    this.log(
      projects === 0
        ? 'Nothing to do: there is no project.'
        : `Sent RESYNC to the subscribers of ${projects} ${projects === 1 ? 'project' : 'projects'}.`,
    )
    return { projects }
  }
}
