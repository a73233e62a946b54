import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import { type Json, type JsonObject, objectOfMany } from '../../../client/protocol/model/json.js'
import { backupFlag } from '../../backups/backup-flag.js'
import { undoOfUpdate } from '../../backups/undo-lines.js'
import { misuse } from '../../base/failure.js'
import { lostByChange } from '../../base/target-command.js'
import { BulkCommand, type BulkFlags } from '../../bulk/bulk-command.js'
import { documentRow } from '../../documents/document-row.js'
import { collectionArg, fieldsDescription, readFields, readFileAndFields } from '../../documents/fields-args.js'
import { conditionFlags, hasConditions, whereFlags } from '../../documents/where-flag.js'
import { attachFlag, readAttached } from '../../files/attach-flag.js'
import { counted, record } from '../../terminal/print.js'
import { prose } from '../../terminal/prose.js'

export default class DocsUpdate extends BulkCommand {
  static override summary = 'Update fields of one or more documents.'
  static override description =
    prose(`Takes ${fieldsDescription}. Keeps all other fields. --append and --remove change arrays
atomically, and --unset removes fields. With --where or --all, shows the number of documents and asks; needs --yes without a terminal.`)
  static override examples = [
    '<%= config.bin %> docs update posts 01999999-9999-7999-8999-999999999999 status=published',
    '<%= config.bin %> docs update posts 01999999-9999-7999-8999-999999999999 --append tags=news --if-version 3',
    '<%= config.bin %> docs update posts --where status=draft --where views__lte=10 status=archived',
    '<%= config.bin %> docs update posts --exists draftOf --unset draftOf',
  ]
  static override usage = [
    'docs update COLLECTION ID [FIELD=text] [FIELD:=json] [-f file] [-F field=@file]',
    'docs update COLLECTION --where field=value [FIELD=text] [FIELD:=json] [-f file]',
  ]
  static override args = {
    collection: collectionArg,
    // oclif does not support an optional argument before a variadic one, so the id is among the fields.
    field: Args.string({
      multiple: true,
      description:
        'id of the document, unless you pass a condition; then fields: title=Hello is text, views:=3 is JSON',
    }),
  }
  static override flags = {
    ...whereFlags,
    ...backupFlag,
    all: Flags.boolean({ description: 'all documents in the collection', exclusive: conditionFlags }),
    file: Flags.string({ char: 'f', description: 'JSON file with the fields; - reads stdin' }),
    attach: attachFlag,
    append: Flags.string({
      multiple: true,
      multipleNonGreedy: true,
      description: 'item to add to an array unless it has it: tags=news, scores:=3',
      helpValue: 'field=item',
    }),
    remove: Flags.string({
      multiple: true,
      multipleNonGreedy: true,
      description: 'item to remove from an array',
      helpValue: 'field=item',
    }),
    unset: Flags.string({
      multiple: true,
      multipleNonGreedy: true,
      delimiter: ',',
      description: 'field to remove',
      helpValue: 'field',
    }),
    'if-version': Flags.integer({ min: 1, description: 'fail unless the document is still at this version' }),
  }

  protected readonly access = 'write'

  async run() {
    const { args, argv, flags } = await this.parse(DocsUpdate)
    const isByCondition = flags.all || hasConditions(flags)
    const words = argv.slice(1).map(String)
    const id = isByCondition ? undefined : words.shift()
    const changes = {
      ...(await readFileAndFields(flags.file, words)),
      ...(flags.append ? { $append: readItems(flags.append) } : {}),
      ...(flags.remove ? { $remove: readItems(flags.remove) } : {}),
      ...(flags.unset ? { $unset: flags.unset } : {}),
    }
    if (isByCondition) return this.updateMatching(args.collection, changes, flags)
    if (id === undefined) throw misuse('Select documents by id, --where or --all.')
    const all = requireSome({ ...changes, ...(await readAttached(flags.attach)) })
    const client = await this.clientForWrite(flags, `Change a document in "${args.collection}"`)
    const document = await client.collection(args.collection).update(id, all, { ifMatch: flags['if-version'] })

    this.log(record(documentRow(document)))
    return document
  }

  private async updateMatching(
    name: string,
    changes: JsonObject,
    flags: BulkFlags & { attach?: unknown; 'if-version'?: number | undefined },
  ) {
    if (flags.attach !== undefined)
      throw misuse('--attach needs a single document.', 'Pass its id instead of a condition.')
    if (flags['if-version'] !== undefined)
      throw misuse('--if-version needs a single document.', 'Pass its id instead of a condition.')
    requireSome(changes)
    const updated = await this.writeMatching(name, flags, {
      verb: 'Change',
      done: 'changed',
      write: (collection, ids) =>
        collection.updateMany(objectOfMany(ids.map((id) => [id, changes])), { returning: false }),
      undo: (documents) => undoOfUpdate(name, documents, changes),
      lost: lostByChange,
    })

    this.note(`Changed ${counted(updated, 'document')}.`)
    return { updated }
  }
}

function requireSome<Changes extends object>(changes: Changes): Changes {
  if (Object.keys(changes).length > 0) return changes
  throw misuse('No changes given.', 'Name fields, for example title=Hello.')
}

/** Groups items by field: `tags=a tags=b` are two items. */
function readItems(words: readonly string[]) {
  const items = new Map<string, Json[]>()
  for (const word of words) {
    for (const [field, item] of Object.entries(readFields([word])))
      items.set(field, [...(items.get(field) ?? []), item])
  }
  return Object.fromEntries(items)
}
