import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import { misuse } from '../../base/failure.js'
import { TargetCommand } from '../../base/target-command.js'
import { collectionArg } from '../../documents/fields-args.js'
import { readWhere, spellingNote, whereFlags } from '../../documents/where-flag.js'
import type { TargetFlags } from '../../target/target.js'
import { counted } from '../../terminal/print.js'
import { prose } from '../../terminal/prose.js'

// A batch takes 1,000 ids; smaller ones let others have their turn.
const idsAtOnce = 500

export default class DocsDelete extends TargetCommand {
  static override summary = 'Delete documents, by id or by condition.'
  static override description =
    prose(`Documents named by their ids go at once, all of them or none. With --where or --all it counts
them and asks first; without a terminal it needs --yes. It cannot be undone.`)
  static override examples = [
    '<%= config.bin %> docs delete posts 01999999-9999-7999-8999-999999999999',
    '<%= config.bin %> docs delete posts --where status=draft --yes',
  ]
  static override usage = 'docs delete COLLECTION [ID...] [--where field=value]'
  static override args = {
    collection: collectionArg,
    id: Args.string({ multiple: true, description: 'ids of the documents' }),
  }
  static override flags = {
    ...whereFlags,
    all: Flags.boolean({ description: 'every document of the collection', exclusive: ['where', 'or'] }),
  }

  async run() {
    const { args, argv, flags } = await this.parse(DocsDelete)
    const ids = [...new Set(argv.slice(1).map(String))]
    const isByCondition = flags.all || (flags.where ?? flags.or) !== undefined
    if (ids.length > 0 === isByCondition) {
      throw misuse('Say which documents: ids, or --where, or --all.', 'Give exactly one of them.')
    }
    const deleted = isByCondition
      ? await this.deleteMatching(args.collection, flags)
      : await this.deleteIds(args.collection, ids, flags)

    this.note(`${counted(deleted, 'document')} deleted.`)
    return { deleted }
  }

  private async deleteIds(name: string, ids: string[], flags: TargetFlags & { yes: boolean }): Promise<number> {
    const client = await this.clientForWrite(flags, `Delete ${counted(ids.length, 'document')} of "${name}"`)
    const collection = client.collection(name)
    const [id] = ids
    if (id !== undefined && ids.length === 1) await collection.delete(id)
    else await collection.deleteMany(ids)
    return ids.length
  }

  private async deleteMatching(
    name: string,
    flags: TargetFlags & { yes: boolean; where?: string[]; or?: string[] },
  ): Promise<number> {
    const where = readWhere(flags.where, flags.or)
    const collection = this.client(flags).collection(name)
    const total = await collection.count({ where })
    if (total === 0) {
      const note = spellingNote(flags)
      if (note) this.note(note)
      return 0
    }
    const { url } = this.requireTarget(flags)
    await this.confirm(`Delete ${counted(total, 'document')} of "${name}" on ${new URL(url).host}?`, flags)

    let deleted = 0
    let ids: string[] = []
    const flush = async () => {
      if (ids.length > 0) await collection.deleteMany(ids)
      deleted += ids.length
      ids = []
    }
    for await (const { id } of collection.iterate({ where })) {
      ids.push(id)
      if (ids.length >= idsAtOnce) await flush()
    }
    await flush()
    return deleted
  }
}
