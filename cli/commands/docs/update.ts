import * as Flags from '@oclif/core/flags'
import type { Json } from '../../../client/protocol/model/json.js'
import { misuse } from '../../base/failure.js'
import { TargetCommand } from '../../base/target-command.js'
import { documentRow } from '../../documents/document-row.js'
import { collectionArg, fieldsArg, fieldsDescription, idArg, readFields } from '../../documents/fields-args.js'
import { attachFlag, readAttached } from '../../files/attach-flag.js'
import { record } from '../../terminal/print.js'

export default class DocsUpdate extends TargetCommand {
  static override summary = 'Change some fields of a document; the others stay.'
  static override description =
    `Takes ${fieldsDescription}. --append and --remove change arrays, safely beside others who do the same.`
  static override examples = [
    '<%= config.bin %> docs update posts 01999999-9999-7999-8999-999999999999 status=published',
    '<%= config.bin %> docs update posts 01999999-9999-7999-8999-999999999999 --append tags=news --if-version 3',
  ]
  static override usage = 'docs update COLLECTION ID [FIELD=text] [FIELD:=json] [-f file] [-F field=@file]'
  static override args = { collection: collectionArg, id: idArg, field: fieldsArg }
  static override flags = {
    file: Flags.string({ char: 'f', description: 'file with the fields as JSON; - reads stdin' }),
    attach: attachFlag,
    append: Flags.string({
      multiple: true,
      multipleNonGreedy: true,
      description: 'item to add to an array, if it is not in it: tags=news, scores:=3',
      helpValue: 'field=item',
    }),
    remove: Flags.string({
      multiple: true,
      multipleNonGreedy: true,
      description: 'item to take out of an array',
      helpValue: 'field=item',
    }),
    'if-version': Flags.integer({ min: 1, description: 'only if the document is still at this version' }),
  }

  async run() {
    const { args, argv, flags } = await this.parse(DocsUpdate)
    const changes = {
      ...readFields(argv.slice(2).map(String), flags.file),
      ...(await readAttached(flags.attach)),
      ...(flags.append ? { $append: readItems(flags.append) } : {}),
      ...(flags.remove ? { $remove: readItems(flags.remove) } : {}),
    }
    if (Object.keys(changes).length === 0) throw misuse('Nothing to change was given.', 'Name fields: title=Hello')
    const client = await this.clientForWrite(flags, `Change a document in "${args.collection}"`)
    const document = await client.collection(args.collection).update(args.id, changes, { ifMatch: flags['if-version'] })

    this.log(record(documentRow(document)))
    return document
  }
}

/** Items of one field come together: `tags=a tags=b` are two items. */
function readItems(words: readonly string[]) {
  const items: { [field: string]: Json[] } = {}
  for (const word of words) {
    for (const [field, item] of Object.entries(readFields([word]))) items[field] = [...(items[field] ?? []), item]
  }
  return items
}
