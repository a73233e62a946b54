import * as Flags from '@oclif/core/flags'
import type { Collection, Schema } from '../../../client/protocol/model/collection.js'
import type { CommandInput } from '../../base/service-command.js'
import { TargetCommand } from '../../base/target-command.js'
import { readSettings, settingsFlags } from '../../collections/schema-flag.js'
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
    '<%= config.bin %> collections schema posts --keep --unique slug --title name',
    '<%= config.bin %> collections schema posts --json > schema.json',
  ]
  static override args = { collection: collectionArg }
  static override flags = {
    ...settingsFlags,
    keep: Flags.boolean({ description: 'keep the other fields' }),
    clear: Flags.boolean({ description: 'remove the schema', exclusive: ['field', 'schema', 'keep'] }),
  }

  protected readonly access = ({ flags }: CommandInput) =>
    flags.field || flags.schema || flags.unique || flags.title || flags.clear ? 'write' : 'read'

  async run() {
    const { args, flags } = await this.parse(CollectionsSchema)
    const isShown = !(flags.field || flags.schema || flags.unique || flags.title || flags.clear)
    if (isShown) return this.show(await (await this.ownerClient(flags)).collections.get(args.collection))

    const client = await this.clientForWrite(flags, `Set the schema of "${args.collection}"`)
    const { schema: before } =
      flags.keep || flags.unique ? await client.collections.get(args.collection) : { schema: {} }
    const settings = flags.clear ? { schema: {}, unique: [], title: null } : await readSettings(flags, before)
    const schema = flags.keep && settings.schema ? { ...before, ...settings.schema } : settings.schema
    return this.show(await client.collections.update(args.collection, { ...settings, ...(schema ? { schema } : {}) }))
  }

  private show({ schema, unique = [], title }: Collection): Schema {
    const rows = ruleRows(schema)
    if (rows.length === 0) this.note('No schema. Any document is valid.')
    else this.log(table(rows))
    for (const names of unique) this.note(`Unique together: ${names.join(', ')}.`)
    if (title !== undefined) this.note(`Title: ${title}.`)
    return schema
  }
}
