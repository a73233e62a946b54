import { SnapshotCommand, snapshotArg } from '../../snapshots/snapshot-command.js'

export default class SnapshotRemove extends SnapshotCommand {
  static override hiddenAliases = ['snapshot:rm']
  static override summary = 'Delete a snapshot.'
  static override examples = [
    '<%= config.bin %> snapshot remove demo',
    '<%= config.bin %> snapshot remove demo --yes --json',
  ]
  static override args = { name: snapshotArg }

  protected readonly access = 'write'

  async run() {
    const { args, flags } = await this.parse(SnapshotRemove)
    const { snapshots, project } = this.snapshots(flags)
    const { name } = await snapshots.get({ project, snapshot: args.name })
    await this.confirm(`Delete snapshot "${name}"?`, flags)
    const snapshot = await snapshots.remove({ project, snapshot: name })

    this.note(`Deleted "${name}".`)
    return snapshot
  }
}
