import { TargetCommand } from '../../base/target-command.js'
import { collectionRow } from '../../collections/collection-row.js'
import { collectionArg } from '../../documents/fields-args.js'
import { record } from '../../terminal/print.js'

export default class CollectionsGet extends TargetCommand {
  static override summary = 'Show a collection and its document count.'
  static override examples = [
    '<%= config.bin %> collections get posts',
    '<%= config.bin %> collections get posts --json',
  ]
  static override args = { collection: collectionArg }

  protected readonly access = 'read'

  async run() {
    const { args, flags } = await this.parse(CollectionsGet)
    const collection = await (await this.ownerClient(flags)).collections.get(args.collection)

    this.log(record(collectionRow(collection)))
    return collection
  }
}
