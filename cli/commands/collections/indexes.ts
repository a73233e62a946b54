import * as Args from '@oclif/core/args'
import { formatBytes } from '../../../client/protocol/model/figures.js'
import { ControlCommand } from '../../base/control-command.js'
import { table } from '../../terminal/print.js'
import { prose } from '../../terminal/prose.js'
import { shortTime } from '../../terminal/short-time.js'

export default class CollectionsIndexes extends ControlCommand {
  static override summary = 'List the indexes that the emulator keeps for lists, and why.'
  static override description =
    prose(`The emulator makes indexes by itself, for the fields that lists of a large collection filter and sort by,
and drops one that no list has used for two weeks. "rows" says which documents it serves: those whose first fields equal something, in
the order of the last one.`)
  static override examples = [
    '<%= config.bin %> collections indexes',
    '<%= config.bin %> collections indexes posts --json',
  ]
  static override args = { collection: Args.string({ description: 'name of the collection; left out, all of them' }) }

  async run() {
    const { args, flags } = await this.parse(CollectionsIndexes)
    const project = this.emulator(flags).projectId
    const { indexes } = await this.control(flags).indexes.list({
      project,
      ...(args.collection === undefined ? {} : { collection: args.collection }),
    })

    if (indexes.length === 0)
      this.note('No indexes yet. Lists of a collection with 2,000 documents or more bring them about.')
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
            reason: isReady ? reason : 'being made',
          })),
        ),
      )
    return indexes
  }
}
