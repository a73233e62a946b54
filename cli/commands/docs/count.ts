import { TargetCommand } from '../../base/target-command.js'
import { documentFields, emptyResultNotes } from '../../documents/empty-result.js'
import { collectionArg } from '../../documents/fields-args.js'
import { readWhere, whereFlags } from '../../documents/where-flag.js'

export default class DocsCount extends TargetCommand {
  static override summary = 'Count documents.'
  static override examples = [
    '<%= config.bin %> docs count posts',
    '<%= config.bin %> docs count posts --where status=published --where views__gte=100',
  ]
  static override args = { collection: collectionArg }
  static override flags = { ...whereFlags }

  protected readonly access = 'read'

  async run() {
    const { args, flags } = await this.parse(DocsCount)
    const where = readWhere(flags)
    const client = await this.ownerClient(flags)
    const count = await client.collection(args.collection).count({ where })

    this.log(String(count))
    if (count === 0) await this.noteEmptyResult(() => emptyResultNotes(flags, documentFields(client, args.collection)))
    return { count }
  }
}
