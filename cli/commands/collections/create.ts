import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import { TargetCommand } from '../../base/target-command.js'
import { collectionRow } from '../../collections/collection-row.js'
import { exampleFields } from '../../collections/example-fields.js'
import { readSchema } from '../../collections/schema-flag.js'
import { record } from '../../terminal/print.js'
import { shellWord } from '../../terminal/shell-word.js'

export default class CollectionsCreate extends TargetCommand {
  static override summary = 'Create a collection.'
  static override examples = [
    '<%= config.bin %> collections create posts',
    '<%= config.bin %> collections create posts --field title:string! --field views:integer=0',
  ]
  static override args = { name: Args.string({ required: true, description: 'name of the new collection' }) }
  static override flags = {
    field: Flags.string({
      multiple: true,
      multipleNonGreedy: true,
      description: 'typed field: name:type; add ! if it is required, and =json for a default',
      helpValue: 'name:type',
    }),
    schema: Flags.string({
      description: 'file with the JSON schema of the collection; - reads stdin',
      helpValue: 'file',
    }),
  }

  protected readonly access = 'write'

  async run() {
    const { args, flags } = await this.parse(CollectionsCreate)
    const schema = await readSchema(flags)
    const client = await this.clientForWrite(flags, `Create collection "${args.name}"`)
    const collection = await client.collections.create({ name: args.name, schema })

    this.log(record(collectionRow(collection)))
    const next = `svc docs create ${shellWord(collection.name)} ${exampleFields(collection.schema)}`
    this.note(`Next: ${this.there(next)}`)
    return collection
  }
}
