import { SnapshotCommand, snapshotArg } from '../../snapshots/snapshot-command.js'
import { describeContent } from '../../snapshots/words.js'

export default class SnapshotLoad extends SnapshotCommand {
  static override summary = 'Restore a snapshot.'
  static override description =
    'Replaces all data in the emulator. To undo it: svc undo. Keeps keys, port and control token. Subscribers receive RESYNC.'
  static override examples = [
    '<%= config.bin %> snapshot load before-checkout',
    '<%= config.bin %> snapshot load demo --yes --json',
  ]
  static override args = { name: snapshotArg }

  protected readonly access = 'write'

  async run() {
    const { args, flags } = await this.parse(SnapshotLoad)
    const { snapshots, project } = this.snapshots(flags)
    const { name } = await snapshots.get({ project, snapshot: args.name })
    await this.confirm(`Replace all data in the emulator with "${name}"?`, flags)
    const emulator = this.emulator(flags)
    const snapshot = await this.undoably({ emulator, keeping: name }, `snapshot load ${name}`, flags, () =>
      snapshots.load({ project, snapshot: name }),
    )

    this.note(`Loaded "${name}": ${describeContent(snapshot)}.`)
    if (snapshot.lacking.length > 0) this.noteAlways(lackingWords(snapshot.lacking))
    return snapshot
  }
}

function lackingWords(names: readonly string[]): string {
  return `Missing, because secrets were not exported: ${names.join(', ')}. Set them: svc project set idp.${names[0]}=…`
}
