import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import { backupFlag } from '../../backups/backup-flag.js'
import { existingDocuments, undoOfDeletion } from '../../backups/undo-lines.js'
import { dryRunFlag } from '../../base/dry-run-flag.js'
import { misuse } from '../../base/failure.js'
import type { CommandInput } from '../../base/service-command.js'
import { lostByDeletion } from '../../base/target-command.js'
import { BulkCommand } from '../../bulk/bulk-command.js'
import { matchingIds } from '../../bulk/selection.js'
import { findDependants, formatDependants, formatPlan, planDeletion } from '../../documents/dependants.js'
import { collectionArg } from '../../documents/fields-args.js'
import { withLargePages } from '../../documents/large-pages.js'
import { conditionFlags, hasConditions, readWhere, type WhereFlags, whereFlags } from '../../documents/where-flag.js'
import type { TargetFlags } from '../../target/target.js'
import { counted } from '../../terminal/print.js'
import { prose } from '../../terminal/prose.js'

interface DeleteFlags extends TargetFlags {
  readonly yes: boolean
  readonly backup: boolean
}

export default class DocsDelete extends BulkCommand {
  static override hiddenAliases = ['docs:rm']
  static override summary = 'Delete documents by id or by condition.'
  static override description =
    prose(`Deletes documents by id at once: all of them or none. With --where or --all, shows their number and asks; needs --yes
without a terminal. On the emulator of this folder, the command first says which other documents are deleted or changed because they link to
one, and svc undo restores all of them if there is more than one document. For other services, the documents are saved to .svc/backups first.`)
  static override examples = [
    '<%= config.bin %> docs delete posts 01999999-9999-7999-8999-999999999999',
    '<%= config.bin %> docs delete posts --where status=draft --yes',
    '<%= config.bin %> docs delete posts --where status=draft --dry-run --json',
  ]
  static override usage = '<%= command.id %> COLLECTION [ID...] [--where field=value]'
  static override args = {
    collection: collectionArg,
    id: Args.string({ multiple: true, description: 'ids of the documents' }),
  }
  static override flags = {
    ...whereFlags,
    ...backupFlag,
    'dry-run': dryRunFlag,
    all: Flags.boolean({ description: 'all documents in the collection', exclusive: conditionFlags }),
  }

  protected readonly access = ({ flags }: CommandInput) => (flags['dry-run'] ? 'read' : 'write')

  async run() {
    const { args, argv, flags } = await this.parse(DocsDelete)
    const ids = [...new Set(argv.slice(1).map(String))]
    const isByCondition = flags.all || hasConditions(flags)
    if (ids.length > 0 === isByCondition) {
      throw misuse('Select documents by ids, --where or --all.', 'Use exactly one of them.')
    }
    if (flags['dry-run']) return this.plan(args.collection, isByCondition ? undefined : ids, flags)
    const deleted = isByCondition
      ? await this.writeMatching(args.collection, flags, {
          verb: 'Delete',
          done: 'deleted',
          write: (collection, ids) => collection.deleteMany([...ids]),
          undo: (documents) => undoOfDeletion(args.collection, documents),
          lost: lostByDeletion,
          findDependants: (ids) => findDependants(this.requireTarget(flags), { to: args.collection, ids }),
        })
      : await this.deleteIds(args.collection, ids, flags)

    this.note(`Deleted ${counted(deleted, 'document')}.`)
    return { deleted }
  }

  /** @param ids documents that must exist; undefined for those that match the flags */
  private async plan(name: string, ids: readonly string[] | undefined, flags: WhereFlags & TargetFlags) {
    const target = this.requireTarget(flags)
    const collection = this.client(flags, { dialect: withLargePages(target.dialect) }).collection(name)
    for (const id of ids ?? []) await collection.get(id)
    const where = readWhere(flags)
    const documents = ids?.length ?? (await collection.count({ where }))
    const dependants = await planDeletion(target, { to: name, ids: ids ?? matchingIds(collection, where) })
    for (const line of formatPlan(`${counted(documents, 'document')} of "${name}"`, dependants)) this.log(line)
    return { documents, dependants }
  }

  private async deleteIds(name: string, ids: string[], flags: DeleteFlags): Promise<number> {
    const target = this.requireTarget(flags)
    const dependants = await findDependants(target, { to: name, ids })
    if (dependants.length > 0) this.note(formatDependants(dependants))
    const kind = await this.confirmWrite(flags, `Delete ${counted(ids.length, 'document')} of "${name}"`)
    const collection = this.client(flags).collection(name)
    const [id] = ids
    if (id !== undefined && ids.length === 1 && dependants.length === 0) await collection.delete(id)
    else {
      const words = `${this.words()} ${name}`
      const lines = undoOfDeletion(name, existingDocuments(collection, ids))
      await this.backUp(kind, flags, { words, lost: lostByDeletion, lines })
      await this.undoably(target, words, flags, () => collection.deleteMany(ids))
    }
    return ids.length
  }
}
