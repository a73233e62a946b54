import { SvcCommand } from '../../base/svc-command.js'
import { databaseFlags, readDatabasePlace } from '../../serve/serve-flags.js'
import { prose } from '../../terminal/prose.js'

export default class ServeResync extends SvcCommand {
  static override summary = 'Make all subscribers resync after you restored the database.'
  static override description =
    prose(`Subscribers resume after the number of the last change that they received. A restored backup, or a standby that lagged behind, has
lost the latest numbers and would reuse them, so subscribers would miss changes. This command skips these numbers, and sends RESYNC to all
subscribers, now or when they reconnect.

Run it before you start svc serve on a restored database. It also works while processes run. It applies missing migrations, and only
needs the address of the database.`)
  static override examples = [
    '<%= config.bin %> serve resync',
    'SVC_DATABASE_URL=postgres://svc@db/restored <%= config.bin %> serve resync --yes --json',
  ]
  static override flags = databaseFlags

  protected readonly access = 'write'

  async run() {
    const { flags } = await this.parse(ServeResync)
    const place = readDatabasePlace(flags)
    await this.confirm('Make all subscribers of this database resync?', flags)
    const { resyncSubscribers } = await import('../../../emulator/serving/serve.js')
    const projects = await resyncSubscribers(place)
    this.log(
      projects === 0
        ? 'Nothing to do. The database has no projects.'
        : `Sent RESYNC to the subscribers of ${projects} ${projects === 1 ? 'project' : 'projects'}.`,
    )
    return { projects }
  }
}
