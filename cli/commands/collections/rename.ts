import * as Args from '@oclif/core/args'
import { TargetCommand } from '../../base/target-command.js'
import { collectionArg } from '../../documents/fields-args.js'

export default class CollectionsRename extends TargetCommand {
  static override summary = 'Rename a collection.'
  static override description = 'Keeps the documents and their ids.'
  static override examples = [
    '<%= config.bin %> collections rename posts articles',
    '<%= config.bin %> collections rename posts articles --json',
  ]
  static override args = {
    collection: collectionArg,
    name: Args.string({ required: true, description: 'new name' }),
  }

  protected readonly access = 'write'

  async run() {
    const { args, flags } = await this.parse(CollectionsRename)
    const client = await this.clientForWrite(flags, `Rename collection "${args.collection}" to "${args.name}"`)
    const collection = await client.collections.update(args.collection, { name: args.name })

    this.note(`Renamed "${args.collection}" to "${collection.name}".`)
    return collection
  }
}
