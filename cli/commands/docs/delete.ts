import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import { misuse } from '../../base/failure.js'
import { BulkCommand } from '../../bulk/bulk-command.js'
import { collectionArg } from '../../documents/fields-args.js'
import { whereFlags } from '../../documents/where-flag.js'
import type { TargetFlags } from '../../target/target.js'
import { counted } from '../../terminal/print.js'
import { prose } from '../../terminal/prose.js'

export default class DocsDelete extends BulkCommand {
  static override summary = 'Delete documents, by id or by condition.'
  static override description =
    prose(`Documents named by their ids go at once, all of them or none. With --where or --all it counts
them and asks first; without a terminal it needs --yes. At the emulator of the folder, svc undo brings several back.`)
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

  protected readonly access = 'write'

  async run() {
    const { args, argv, flags } = await this.parse(DocsDelete)
    const ids = [...new Set(argv.slice(1).map(String))]
    const isByCondition = flags.all || (flags.where ?? flags.or) !== undefined
    if (ids.length > 0 === isByCondition) {
      throw misuse('Say which documents: ids, or --where, or --all.', 'Give exactly one of them.')
    }
    const deleted = isByCondition
      ? await this.writeMatching(args.collection, flags, {
          verb: 'Delete',
          done: 'deleted',
          write: (collection, ids) => collection.deleteMany([...ids]),
        })
      : await this.deleteIds(args.collection, ids, flags)

    this.note(`${counted(deleted, 'document')} deleted.`)
    return { deleted }
  }

  private async deleteIds(name: string, ids: string[], flags: TargetFlags & { yes: boolean }): Promise<number> {
    const client = await this.clientForWrite(flags, `Delete ${counted(ids.length, 'document')} of "${name}"`)
    const collection = client.collection(name)
    const [id] = ids
    if (id !== undefined && ids.length === 1) await collection.delete(id)
    else {
      await this.undoably(this.requireTarget(flags), `${this.words()} ${name}`, flags, () => collection.deleteMany(ids))
    }
    return ids.length
  }
}
