import * as Args from '@oclif/core/args'
import { formatBytes } from '../../../client/protocol/model/figures.js'
import { ControlCommand } from '../../base/control-command.js'
import { table } from '../../terminal/print.js'
import { prose } from '../../terminal/prose.js'
import { shortTime } from '../../terminal/short-time.js'

export default class CollectionsIndexes extends ControlCommand {
  static override summary = 'List the indexes of the emulator.'
  static override description =
    prose(`The emulator creates indexes automatically, for fields that lists of a large collection filter or sort by. It drops indexes that
were unused for two weeks. Each row shows the fields that a list compares ("equal"), and the field that it sorts by ("order").`)
  static override examples = [
    '<%= config.bin %> collections indexes',
    '<%= config.bin %> collections indexes posts --json',
  ]
  static override args = { collection: Args.string({ description: 'name of the collection [default: all]' }) }

  protected readonly access = 'read'

  async run() {
    const { args, flags } = await this.parse(CollectionsIndexes)
    const project = this.emulator(flags).projectId
    const { indexes } = await this.control(flags).indexes.list({
      project,
      ...(args.collection === undefined ? {} : { collection: args.collection }),
    })

    if (indexes.length === 0) this.note('No indexes yet. Lists create them once a collection has 2,000 documents.')
    else
      this.log(
        table(
          indexes.map(({ collection, equal, field, kind, bytes, uses, usedAt, reason, isReady }) => ({
            collection,
            equal: equal.join(', '),
            ...(kind === 'text' ? { order: '', text: field } : { order: `${field} ${kind}`, text: '' }),
            size: formatBytes(bytes),
            uses,
            usedAt: shortTime(usedAt),
            reason: isReady ? reason : 'being built',
          })),
        ),
      )
    return indexes
  }
}
