import * as Args from '@oclif/core/args'
import { exits } from '../../base/failure.js'
import { diffLines } from '../../snapshots/diff-lines.js'
import { SnapshotCommand, snapshotArg } from '../../snapshots/snapshot-command.js'

export default class SnapshotDiff extends SnapshotCommand {
  static override summary = 'Compare a snapshot with the current state or a later snapshot.'
  static override description =
    'Lists added (+), removed (-) and changed (~) documents by collection, with their changed fields. Ignores times. Exits with 10 if anything differs.'
  static override examples = [
    '<%= config.bin %> snapshot diff before-checkout',
    '<%= config.bin %> snapshot diff monday tuesday --json',
  ]
  static override args = {
    name: snapshotArg,
    later: Args.string({ description: 'name of a later snapshot [default: the current state]' }),
  }

  protected readonly access = 'read'

  async run() {
    const { args, flags } = await this.parse(SnapshotDiff)
    const { snapshots, project } = this.snapshots(flags)
    const diff = await snapshots.diff({ project, snapshot: args.name, to: args.later })

    if (diff.isSame)
      this.note(
        `"${args.name}" and ${args.later === undefined ? 'the current state' : `"${args.later}"`} are the same.`,
      )
    else for (const line of diffLines(diff)) this.log(line)
    if (!diff.isSame) process.exitCode = exits.different
    return diff
  }
}
