import * as Flags from '@oclif/core/flags'
import type { Schema } from '../../../../client/protocol/model/collection.js'
import { countFields, inferSchema } from '../../../../types/infer-schema.js'
import { findLinksFrom } from '../../../../types/links.js'
import { type ReadCollection, readCollection } from '../../../../types/read-collections.js'
import type { CommandInput } from '../../../base/service-command.js'
import { TargetCommand } from '../../../base/target-command.js'
import { ruleRows } from '../../../collections/schema-rows.js'
import { collectionArg } from '../../../documents/fields-args.js'
import { count, counted, type Row, table } from '../../../terminal/print.js'
import { startProgress } from '../../../terminal/progress.js'
import { prose } from '../../../terminal/prose.js'
import { shellWord } from '../../../terminal/shell-word.js'

export default class CollectionsSchemaInfer extends TargetCommand {
  static override summary = 'Infer a schema from the documents of a collection.'
  static override description =
    prose(`Reads every document, and infers a schema that all of them match. Fields that have a rule keep it, even if documents break it. A field that each document has is required. A field with
values of several types accepts any, and one with few texts accepts only those. A field with ids of documents or users becomes a link. Shows how many documents have each field. --apply sets the schema for later writes.

Check the required fields before you apply it. A field that every document has today may be missing tomorrow.`)
  static override examples = [
    '<%= config.bin %> collections schema infer posts',
    '<%= config.bin %> collections schema infer posts --apply',
    '<%= config.bin %> collections schema infer posts --optional --json > schema.json',
  ]
  static override args = { collection: collectionArg }
  static override flags = {
    apply: Flags.boolean({ description: 'set the inferred schema' }),
    optional: Flags.boolean({ description: 'make new fields optional' }),
    sample: Flags.integer({
      min: 2,
      description: 'number of documents to read: half the oldest, half the newest',
      helpValue: 'number',
      exclusive: ['apply'],
    }),
  }

  protected readonly access = ({ flags }: CommandInput) => (flags.apply ? 'write' : 'read')

  async run() {
    const { args, flags } = await this.parse(CollectionsSchemaInfer)
    const client = flags.apply
      ? await this.clientForWrite(flags, `Set the schema of "${args.collection}"`)
      : await this.ownerClient(flags)
    const collection = await client.collections.get(args.collection)
    const progress = await startProgress(undefined, 'document', { isWanted: !flags.quiet && !this.jsonEnabled() })
    const onRead = (documents: number) => progress.at(documents, documents)
    const most = flags.sample ?? Number.POSITIVE_INFINITY
    const read = await readCollection(client, collection, { most, seesAll: this.seesAll(flags), onRead }).finally(
      progress.stop,
    )
    const inferred = inferSchema(read, await findLinksFrom(client, read))
    const schema = flags.optional ? withoutNewRequired(inferred, collection.schema) : inferred

    const isEmpty = Object.keys(schema).length === 0
    if (isEmpty) this.note(`"${collection.name}" has no documents to infer a schema from.`)
    else this.log(table(withCounts(ruleRows(schema), read)))
    if (read.total !== undefined && read.read < read.total)
      this.note(`Read ${count(read.read)} of ${counted(read.total, 'document')}.`)
    const setting = `svc collections schema infer ${shellWord(collection.name)} --apply`
    if (!isEmpty && !flags.apply) this.note(`Set it: ${this.there(setting)}`)
    const isKeeping = Object.keys(collection.schema).length > 0 && read.read > 0
    const checking = `svc collections check ${shellWord(collection.name)}`
    if (isKeeping) this.note(`Existing rules stay. Find documents that break them: ${this.there(checking)}`)
    if (isEmpty || !flags.apply) return schema
    const applied = await client.collections.update(collection.name, { schema })
    this.note('Set the schema. It applies to writes from now on.')
    return applied.schema
  }
}

/** Adds how many documents have each field, such as `38 of 40`. */
function withCounts(rows: readonly Row[], read: ReadCollection): Row[] {
  const counts = countFields(read)
  return rows.map((row) => {
    const field = String(row.field)
    const documents = counts.get(field) ?? (Object.hasOwn(read.schema, field) ? 0 : undefined)
    return { ...row, documents: documents === undefined ? '' : `${count(documents)} of ${count(read.read)}` }
  })
}

function withoutNewRequired(inferred: Schema, before: Schema): Schema {
  return Object.fromEntries(
    Object.entries(inferred).map(([name, rule]) => {
      const { required: _, ...others } = rule
      return [name, Object.hasOwn(before, name) ? rule : others]
    }),
  )
}
