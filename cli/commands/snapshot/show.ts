import { formatBytes } from '../../../client/protocol/model/figures.js'
import { SnapshotCommand, snapshotArg } from '../../snapshots/snapshot-command.js'
import { record } from '../../terminal/print.js'

export default class SnapshotShow extends SnapshotCommand {
  static override summary = 'Show the content of a snapshot.'
  static override examples = ['<%= config.bin %> snapshot show demo', '<%= config.bin %> snapshot show demo --json']
  static override args = { name: snapshotArg }

  protected readonly access = 'read'

  async run() {
    const { args, flags } = await this.parse(SnapshotShow)
    const { snapshots, project } = this.snapshots(flags)
    const snapshot = await snapshots.get({ project, snapshot: args.name })

    const { bytes, fileBytes, missing, ...shown } = snapshot
    const given = Object.fromEntries(Object.entries(shown).filter(([, value]) => value !== null))
    const sizes = { size: formatBytes(bytes), sizeOfFiles: formatBytes(fileBytes) }
    this.log(record({ ...given, ...sizes, ...(missing.length > 0 ? { missing } : {}) }))
    return snapshot
  }
}
