import * as Flags from '@oclif/core/flags'
import { upsert } from '../../../client/extensions.js'
import { TargetCommand } from '../../base/target-command.js'
import { documentRow } from '../../documents/document-row.js'
import { collectionArg, fieldsArg, fieldsDescription, readFileAndFields } from '../../documents/fields-args.js'
import { attachFlag, readAttached } from '../../files/attach-flag.js'
import { record } from '../../terminal/print.js'

export default class DocsCreate extends TargetCommand {
  static override summary = 'Create a document.'
  static override description = `Takes ${fieldsDescription}.`
  static override examples = [
    '<%= config.bin %> docs create posts title=Hello views:=3',
    '<%= config.bin %> docs create posts -f post.json status=draft',
    '<%= config.bin %> docs create posts title=Hello -F cover=@cover.png',
    '<%= config.bin %> docs create posts slug=hello title=Hello --upsert slug',
  ]
  static override usage =
    'docs create COLLECTION [FIELD=text] [FIELD:=json] [-f file] [-F field=@file] [--upsert FIELD]'
  static override args = { collection: collectionArg, field: fieldsArg }
  static override flags = {
    file: Flags.string({ char: 'f', description: 'JSON file with the document; - reads stdin' }),
    attach: attachFlag,
    upsert: Flags.string({
      description: 'unique field; updates the document that has its value, if there is one',
      exclusive: ['attach'],
    }),
  }

  protected readonly access = 'write'

  async run() {
    const { args, argv, flags } = await this.parse(DocsCreate)
    const given = await readFileAndFields(flags.file, argv.slice(1).map(String))
    const fields = { ...given, ...(await readAttached(flags.attach)) }
    const client = await this.clientForWrite(flags, `Create a document in "${args.collection}"`)
    const collection = client.collection(args.collection)
    const by = flags.upsert
    const document = await (by === undefined ? collection.create(fields) : upsert(collection, given, { by }))

    this.log(record(documentRow(document)))
    return document
  }
}
