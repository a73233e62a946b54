import { TargetCommand } from '../../base/target-command.js'
import { collectionArg } from '../../documents/fields-args.js'
import { counted } from '../../terminal/print.js'

export default class CollectionsDelete extends TargetCommand {
  static override summary = 'Delete a collection with all its documents.'
  static override description =
    'Asks first; without a terminal it needs --yes. At the emulator of the folder, svc undo brings it back.'
  static override examples = [
    '<%= config.bin %> collections delete drafts',
    '<%= config.bin %> collections delete drafts --yes --json',
  ]
  static override args = { collection: collectionArg }

  protected readonly access = 'write'

  async run() {
    const { args, flags } = await this.parse(CollectionsDelete)
    const client = this.client(flags)
    const { documentCount } = await client.collections.get(args.collection)
    const held = documentCount === undefined ? 'its documents' : counted(documentCount, 'document')
    const target = this.requireTarget(flags)
    await this.confirmWrite(flags, `Delete "${args.collection}" with ${held}`, { isAlwaysAsked: true })
    const removed = await this.undoably(target, `collections delete ${args.collection}`, flags, () =>
      client.collections.delete(args.collection),
    )

    this.note(`"${args.collection}" is deleted, with ${held}.`)
    return { ...removed, documentCount }
  }
}
