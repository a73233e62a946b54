import * as Flags from '@oclif/core/flags'
import { TargetCommand } from '../../base/target-command.js'
import { documentRow } from '../../documents/document-row.js'
import { collectionArg, fieldsArg, fieldsDescription, idArg, readFileAndFields } from '../../documents/fields-args.js'
import { record } from '../../terminal/print.js'

export default class DocsReplace extends TargetCommand {
  static override summary = 'Replace all fields of a document.'
  static override description = `Takes ${fieldsDescription}. Removes all other fields. The id stays.`
  static override examples = [
    '<%= config.bin %> docs replace posts 01999999-9999-7999-8999-999999999999 title=Hello',
    '<%= config.bin %> docs replace posts 01999999-9999-7999-8999-999999999999 -f post.json --if-version 3',
  ]
  static override usage = 'docs replace COLLECTION ID [FIELD=text] [FIELD:=json] [-f file]'
  static override args = { collection: collectionArg, id: idArg, field: fieldsArg }
  static override flags = {
    file: Flags.string({ char: 'f', description: 'JSON file with the document; - reads stdin' }),
    'if-version': Flags.integer({ min: 1, description: 'fail unless the document is still at this version' }),
  }

  protected readonly access = 'write'

  async run() {
    const { args, argv, flags } = await this.parse(DocsReplace)
    const fields = await readFileAndFields(flags.file, argv.slice(2).map(String))
    const client = await this.clientForWrite(flags, `Replace a document in "${args.collection}"`)
    const document = await client.collection(args.collection).replace(args.id, fields, { ifMatch: flags['if-version'] })

    this.log(record(documentRow(document)))
    return document
  }
}
