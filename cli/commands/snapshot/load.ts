import { SnapshotCommand, snapshotArg } from '../../snapshots/snapshot-command.js'
import { describeContent } from '../../snapshots/words.js'

export default class SnapshotLoad extends SnapshotCommand {
  static override summary = 'Bring the emulator back to a snapshot.'
  static override description =
    'What was written since the snapshot was saved is replaced; svc undo brings it back. Keys, port and control token stay; apps that listen read again.'
  static override examples = [
    '<%= config.bin %> snapshot load before-checkout',
    '<%= config.bin %> snapshot load demo --yes --json',
  ]
  static override args = { name: snapshotArg }

  async run() {
    const { args, flags } = await this.parse(SnapshotLoad)
    const { snapshots, project } = this.snapshots(flags)
    const { name } = await snapshots.get({ project, snapshot: args.name })
    await this.confirm(`Replace everything in the emulator by "${name}"?`, flags)
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
  return `Not in it, as secrets are not exported: ${names.join(', ')}. Set them: svc project set idp.${names[0]}=…`
}
