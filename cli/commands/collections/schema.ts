import * as Flags from '@oclif/core/flags'
import type { Schema } from '../../../client/protocol/model/collection.js'
import type { CommandInput } from '../../base/service-command.js'
import { TargetCommand } from '../../base/target-command.js'
import { readSchema } from '../../collections/schema-flag.js'
import { ruleRows } from '../../collections/schema-rows.js'
import { collectionArg } from '../../documents/fields-args.js'
import { table } from '../../terminal/print.js'
import { prose } from '../../terminal/prose.js'

export default class CollectionsSchema extends TargetCommand {
  static override summary = 'Show or set the schema of a collection.'
  static override description =
    prose(`Shows the schema, unless you pass flags. --field and --schema replace it. --keep adds the fields to the existing ones. A schema
applies to later writes, not to stored documents.`)
  static override examples = [
    '<%= config.bin %> collections schema posts',
    '<%= config.bin %> collections schema posts --keep --field rating:number',
    '<%= config.bin %> collections schema posts --json > schema.json',
  ]
  static override args = { collection: collectionArg }
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
    keep: Flags.boolean({ description: 'keep the other fields' }),
    clear: Flags.boolean({ description: 'remove the schema', exclusive: ['field', 'schema', 'keep'] }),
  }

  protected readonly access = ({ flags }: CommandInput) =>
    flags.field || flags.schema || flags.clear ? 'write' : 'read'

  async run() {
    const { args, flags } = await this.parse(CollectionsSchema)
    const given = flags.clear ? {} : await readSchema(flags)
    if (given === undefined)
      return this.show((await (await this.ownerClient(flags)).collections.get(args.collection)).schema)

    const client = await this.clientForWrite(flags, `Set the schema of "${args.collection}"`)
    const kept = flags.keep ? (await client.collections.get(args.collection)).schema : {}
    const { schema } = await client.collections.update(args.collection, { schema: { ...kept, ...given } })
    return this.show(schema)
  }

  private show(schema: Schema): Schema {
    const rows = ruleRows(schema)
    if (rows.length === 0) this.note('No schema. Any document is valid.')
    else this.log(table(rows))
    return schema
  }
}
