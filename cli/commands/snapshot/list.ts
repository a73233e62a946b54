import { SnapshotCommand } from '../../snapshots/snapshot-command.js'
import { furtherColumns, snapshotRow } from '../../snapshots/words.js'
import { table } from '../../terminal/print.js'

export default class SnapshotList extends SnapshotCommand {
  static override hiddenAliases = ['snapshot:ls']
  static override summary = 'List snapshots, newest first.'
  static override examples = ['<%= config.bin %> snapshot list', '<%= config.bin %> snapshot list --json']

  protected readonly access = 'read'

  async run() {
    const { flags } = await this.parse(SnapshotList)
    const { snapshots: calls, project } = this.snapshots(flags)
    const { snapshots } = await calls.list({ project })

    const rows = snapshots.map(snapshotRow)
    const further = furtherColumns.filter((column) => rows.some((row) => row[column] !== undefined))
    const columns = ['name', 'madeAt', 'collections', 'documents', 'users', 'files', 'size', ...further]
    if (rows.length === 0) this.note('No snapshots yet. Save one: svc snapshot save <name>')
    else this.log(table(rows, { columns, whole: ['name'] }))
    return snapshots
  }
}
