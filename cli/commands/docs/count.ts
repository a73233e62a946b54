import { TargetCommand } from '../../base/target-command.js'
import { collectionArg } from '../../documents/fields-args.js'
import { readWhere, spellingNote, whereFlags } from '../../documents/where-flag.js'

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
    const where = readWhere(flags.where, flags.or)
    const count = await this.client(flags).collection(args.collection).count({ where })

    this.log(String(count))
    const note = count === 0 && spellingNote(flags)
    if (note) this.note(note)
    return { count }
  }
}
