import * as Args from '@oclif/core/args'
import { exits } from '../../base/failure.js'
import { diffLines } from '../../snapshots/diff-lines.js'
import { SnapshotCommand, snapshotArg } from '../../snapshots/snapshot-command.js'

export default class SnapshotDiff extends SnapshotCommand {
  static override summary = 'Compare a snapshot with now, or with a later one.'
  static override description =
    'By collection and document: + for what came, - for what went, ~ for what changed, with its fields. When a record was written does not count. Exits with 10 where something is different.'
  static override examples = [
    '<%= config.bin %> snapshot diff before-checkout',
    '<%= config.bin %> snapshot diff monday tuesday --json',
  ]
  static override args = {
    name: snapshotArg,
    later: Args.string({ description: 'name of a later snapshot; now, if none is given' }),
  }

  async run() {
    const { args, flags } = await this.parse(SnapshotDiff)
    const { snapshots, project } = this.snapshots(flags)
    const diff = await snapshots.diff({ project, snapshot: args.name, to: args.later })

    if (diff.isSame)
      this.note(`"${args.name}" and ${args.later === undefined ? 'now' : `"${args.later}"`} are the same.`)
    else for (const line of diffLines(diff)) this.log(line)
    if (!diff.isSame) process.exitCode = exits.different
    return diff
  }
}
