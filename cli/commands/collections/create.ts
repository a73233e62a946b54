import * as Args from '@oclif/core/args'
import { TargetCommand } from '../../base/target-command.js'
import { collectionRow } from '../../collections/collection-row.js'
import { exampleFields } from '../../collections/example-fields.js'
import { readSettings, settingsFlags } from '../../collections/schema-flag.js'
import { record } from '../../terminal/print.js'
import { shellWord } from '../../terminal/shell-word.js'

export default class CollectionsCreate extends TargetCommand {
  static override summary = 'Create a collection.'
  static override examples = [
    '<%= config.bin %> collections create posts',
    '<%= config.bin %> collections create posts --field title:string! --field views:integer=0',
    '<%= config.bin %> collections create cards --field title:string! --field board:link:boards --field state:string:open,done --unique board,title',
  ]
  static override args = { name: Args.string({ required: true, description: 'name of the new collection' }) }
  static override flags = settingsFlags

  protected readonly access = 'write'

  async run() {
    const { args, flags } = await this.parse(CollectionsCreate)
    const settings = await readSettings(flags)
    const client = await this.clientForWrite(flags, `Create collection "${args.name}"`)
    const collection = await client.collections.create({ name: args.name, ...settings })

    this.log(record(collectionRow(collection)))
    const next = `svc docs create ${shellWord(collection.name)} ${exampleFields(collection.schema)}`
    this.note(`Next: ${this.there(next)}`)
    return collection
  }
}
