import * as Flags from '@oclif/core/flags'
import { aggregate, type Group, groupBy } from '../../../client/extensions.js'
import { aggregateOperations } from '../../../client/protocol/model/aggregate.js'
import { sizes } from '../../../client/protocol/model/limits.js'
import { misuse } from '../../base/failure.js'
import { TargetCommand } from '../../base/target-command.js'
import { documentFields, emptyResultNotes } from '../../documents/empty-result.js'
import { collectionArg } from '../../documents/fields-args.js'
import { readWhere, whereFlags } from '../../documents/where-flag.js'
import { count, table } from '../../terminal/print.js'
import { prose } from '../../terminal/prose.js'

const fieldFlag = (description: string) =>
  Flags.string({ multiple: true, multipleNonGreedy: true, description, helpValue: 'field' })

export default class DocsAggregate extends TargetCommand {
  static override summary = 'Sum, average, or group the documents in a collection.'
  static override description =
    prose(`Values that are not numbers are left out. --group-by counts the documents of each value, the most
frequent value first.`)
  static override examples = [
    '<%= config.bin %> docs aggregate posts --sum views --avg views --where status=published',
    '<%= config.bin %> docs aggregate posts --group-by status --json',
  ]
  static override args = { collection: collectionArg }
  static override flags = {
    ...whereFlags,
    count: fieldFlag('count the documents in which this field is not null'),
    sum: fieldFlag('sum of this field'),
    avg: fieldFlag('average of this field'),
    min: fieldFlag('smallest number in this field'),
    max: fieldFlag('largest number in this field'),
    'group-by': Flags.string({
      description: 'count the documents of each value of this field',
      helpValue: 'field',
      exclusive: [...aggregateOperations],
    }),
  }

  protected readonly access = 'read'

  async run() {
    const { args, flags } = await this.parse(DocsAggregate)
    const asked = aggregateOperations.flatMap((operation) =>
      (flags[operation] ?? []).map((field) => ({ operation, field })),
    )
    const grouped = flags['group-by']
    if (grouped === undefined && asked.length === 0) {
      throw misuse('Nothing to aggregate.', 'Use --sum views or --group-by status.')
    }
    const where = readWhere(flags)
    const client = await this.ownerClient(flags)
    const collection = client.collection(args.collection)
    if (grouped === undefined) {
      const results = await Promise.all(
        asked.map(async ({ operation, field }) => {
          const { [operation]: result } = await aggregate(collection, { [operation]: field }, { where })
          return { operation, field, result }
        }),
      )
      this.log(table(results))
      return { results }
    }
    const groups = await groupBy(collection, grouped, { where })
    if (groups.length > 0) this.printGroups(grouped, groups)
    else {
      this.note(`No document has a value in "${grouped}".`)
      await this.noteEmptyResult(() => emptyResultNotes(flags, documentFields(client, args.collection)))
    }
    return { groups }
  }

  private printGroups(field: string, groups: readonly Group[]): void {
    this.log(table(groups.map(({ value, count }) => ({ [field]: value, documents: count }))))
    if (groups.length < sizes.maxGroups) return
    this.noteAlways(`Shows the ${count(sizes.maxGroups)} most frequent values. There may be more.`)
  }
}
