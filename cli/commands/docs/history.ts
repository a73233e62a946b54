import * as Flags from '@oclif/core/flags'
import type { HistoryRecord, VersionComparison } from '../../../client/protocol/control/history.js'
import { ControlCommand } from '../../base/control-command.js'
import { collectionArg, idArg } from '../../documents/fields-args.js'
import { onStdout } from '../../terminal/colour.js'
import { limitFlag } from '../../terminal/limit-flag.js'
import { table } from '../../terminal/print.js'
import { prose } from '../../terminal/prose.js'
import { shortTime } from '../../terminal/short-time.js'
import { printable } from '../../terminal/text-width.js'

/** Excludes the flags of the list. */
const ofComparison = { min: 1, helpValue: 'version', exclusive: ['limit', 'before'] }

export default class DocsHistory extends ControlCommand {
  static override summary = 'Show the versions of a document.'
  static override description =
    prose(`Lists versions and their changed fields, newest first. With --from or --to, compares two versions. --to defaults to the newest
version, and --from to the one before. The emulator keeps at least the changes of the last hour, and at least 100,000.`)
  static override examples = [
    '<%= config.bin %> docs history posts 01999999-9999-7999-8999-999999999999',
    '<%= config.bin %> docs history posts 01999999-9999-7999-8999-999999999999 --from 1 --to 3',
  ]
  static override usage = [
    'docs history COLLECTION ID [--limit number] [--before seq]',
    'docs history COLLECTION ID [--from version] [--to version]',
  ]
  static override args = { collection: collectionArg, id: idArg }
  static override flags = {
    from: Flags.integer({ ...ofComparison, description: 'earlier version to compare' }),
    to: Flags.integer({ ...ofComparison, description: 'later version to compare' }),
    limit: limitFlag('versions'),
    before: Flags.integer({ min: 1, description: 'only versions before this change', helpValue: 'seq' }),
  }

  protected readonly access = 'read'

  async run() {
    const { args, flags } = await this.parse(DocsHistory)
    const { from, to, limit, before } = flags
    const place = { project: this.emulator(flags).projectId, collection: args.collection, document: args.id }
    const { history } = this.control(flags)
    if (from !== undefined || to !== undefined)
      return this.showComparison(await history.compare({ ...place, from, to }))
    return this.showVersions(await history.get({ ...place, limit, before }))
  }

  private showVersions(found: HistoryRecord): HistoryRecord {
    const rows = found.versions.map(({ version, seq, kind, at, changed }) => ({
      ...{ version, seq, kind, at: shortTime(at), changed: changed?.join(', ') ?? '' },
    }))
    this.log(table(rows))
    if (found.next !== null) this.note(`There are more versions. To see them: --before ${found.next}`)
    else if (!found.isWhole) this.note('Older changes are no longer kept.')
    return found
  }

  private showComparison(compared: VersionComparison): VersionComparison {
    const { from, to, differences } = compared
    if (differences.length === 0) this.note(`Versions ${from} and ${to} are the same.`)
    for (const { path, before, after } of differences) {
      const name = printable(path.join('.'))
      if (before !== null) this.log(onStdout.red(`- ${name}: ${printable(before)}`))
      if (after !== null) this.log(onStdout.green(`+ ${name}: ${printable(after)}`))
    }
    return compared
  }
}
