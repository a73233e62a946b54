import { TargetCommand } from '../../base/target-command.js'
import { documentRow } from '../../documents/document-row.js'
import { collectionArg, idArg } from '../../documents/fields-args.js'
import { populateFlag, selectFlag } from '../../documents/where-flag.js'
import { record } from '../../terminal/print.js'

export default class DocsGet extends TargetCommand {
  static override summary = 'Show a document.'
  static override examples = [
    '<%= config.bin %> docs get posts 01999999-9999-7999-8999-999999999999',
    '<%= config.bin %> docs get posts 01999999-9999-7999-8999-999999999999 --populate author --json',
  ]
  static override args = { collection: collectionArg, id: idArg }
  static override flags = { populate: populateFlag, select: selectFlag }

  protected readonly access = 'read'

  async run() {
    const { args, flags } = await this.parse(DocsGet)
    const document = await (await this.ownerClient(flags))
      .collection(args.collection)
      .get(args.id, { populate: flags.populate, select: flags.select })

    this.log(record(documentRow(document)))
    return document
  }
}
