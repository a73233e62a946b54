import * as Flags from '@oclif/core/flags'
import type { Control } from '../../../client/control.js'
import type { Collection, Schema } from '../../../client/protocol/model/collection.js'
import { exits, misuse } from '../../base/failure.js'
import type { CommandInput } from '../../base/service-command.js'
import { TargetCommand } from '../../base/target-command.js'
import { readSettings, settingsFlags } from '../../collections/schema-flag.js'
import { ruleRows } from '../../collections/schema-rows.js'
import { collectionArg } from '../../documents/fields-args.js'
import { openOwner } from '../../target/owner.js'
import type { TargetFlags } from '../../target/target.js'
import { count, counted, table } from '../../terminal/print.js'
import { prose } from '../../terminal/prose.js'
import { shellWord } from '../../terminal/shell-word.js'

export default class CollectionsSchema extends TargetCommand {
  static override summary = 'Show or set the schema of a collection.'
  static override description =
    prose(`Shows the schema, unless you pass flags. --field and --schema replace it. --keep adds the fields to the existing ones. A schema
applies to later writes, not to stored documents.

--dry-run compares the new schema with the stored documents and writes nothing. For each change it shows if it is blocked, breaks
documents or fits, and how to repair them. It works on the emulator of this folder, and exits with 10 unless everything fits.`)
  static override examples = [
    '<%= config.bin %> collections schema posts',
    '<%= config.bin %> collections schema posts --keep --field rating:number',
    '<%= config.bin %> collections schema posts --keep --unique slug --title name',
    '<%= config.bin %> collections schema posts --json > schema.json',
    '<%= config.bin %> collections schema posts --schema schema.json --dry-run',
  ]
  static override args = { collection: collectionArg }
  static override flags = {
    ...settingsFlags,
    keep: Flags.boolean({ description: 'keep the other fields' }),
    clear: Flags.boolean({ description: 'remove the schema', exclusive: ['field', 'schema', 'keep'] }),
    'dry-run': Flags.boolean({ description: 'show what the change does to stored documents, and write nothing' }),
  }

  protected readonly access = ({ flags }: CommandInput) => (isChange(flags) && !flags['dry-run'] ? 'write' : 'read')

  async run() {
    const { args, flags } = await this.parse(CollectionsSchema)
    const isDry = flags['dry-run']
    if (!isChange(flags)) {
      if (isDry) throw misuse('--dry-run needs a change.', 'Name it, for example --schema schema.json.')
      return this.show(await (await this.ownerClient(flags)).collections.get(args.collection))
    }
    const client = await (isDry
      ? this.ownerClient(flags)
      : this.clientForWrite(flags, `Set the schema of "${args.collection}"`))
    const { schema: before } =
      flags.keep || flags.unique ? await client.collections.get(args.collection) : { schema: {} }
    const settings = flags.clear ? { schema: {}, unique: [], title: null } : await readSettings(flags, before)
    const schema = flags.keep && settings.schema ? { ...before, ...settings.schema } : settings.schema
    const changed = { ...settings, ...(schema ? { schema } : {}) }
    if (isDry) return this.plan(args.collection, changed, flags)
    return this.show(await client.collections.update(args.collection, changed))
  }

  /** Shows a row for each change, and below them the first documents, the reasons and the repairs. */
  private async plan(collection: string, settings: object, flags: TargetFlags): Promise<Plan> {
    const target = this.requireTarget(flags)
    const project = target.emulator?.projectId ?? ''
    const plan = await openOwner(target).schemas.plan({ project, collection, ...settings })
    const { changes, documentCount } = plan
    if (changes.length === 0) this.note('Nothing changes.')
    else this.log(table(changes.map(toPlanRow)))
    const offenders = changes.flatMap(({ documents }) =>
      documents.map(({ id, value, problem }) => ({ document: id, value: value ?? '', problem })),
    )
    if (offenders.length > 0) this.log(`\n${table(offenders)}`)
    for (const change of changes) {
      const repair = change.repair?.map(shellWord).join(' ')
      if (change.problem !== null) this.note(`Blocked: ${change.problem}.`)
      if (repair !== undefined) this.note(`Repair ${nameChange(change)}: ${this.there(`svc ${repair}`)}`)
    }
    const isFitting = changes.every(({ effect }) => effect === 'fits')
    if (isFitting && changes.length > 0) this.note(`Compared with ${counted(documentCount, 'document')}. All fit.`)
    if (!isFitting) process.exitCode = exits.different
    return plan
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

type Plan = Awaited<ReturnType<Control['schemas']['plan']>>
type PlannedChange = Plan['changes'][number]

function isChange(flags: CommandInput['flags']): boolean {
  return [flags.field, flags.schema, flags.unique, flags.title, flags.clear].some(Boolean)
}

function nameChange({ fields, option }: PlannedChange): string {
  return fields.length === 0 ? option : fields.join(', ')
}

function toPlanRow(change: PlannedChange) {
  const { effect, fields, text, count: number } = change
  return { effect, field: fields.join(', '), change: text, documents: count(number) }
}
