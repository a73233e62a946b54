import * as Args from '@oclif/core/args'
import type { Control } from '../../client/control.js'
import { SvcError } from '../../client/protocol/model/errors.js'
import { ControlCommand } from '../base/control-command.js'
import { reworded } from '../base/failure.js'
import { openSnapshotControl } from '../target/control.js'

/** A command about snapshots of the project of the emulator that runs here. */
export abstract class SnapshotCommand extends ControlCommand {
  /** What to do where the name is taken, which each command lets its user say in its own way. */
  protected readonly whereNameIsTaken: ((name: string) => string) | undefined

  /** What the control API does with snapshots, and the id of the emulator's own project. */
  protected snapshots(flags: { data?: string | undefined }): { snapshots: Control['snapshots']; project: string } {
    const emulator = this.emulator(flags)
    return { snapshots: openSnapshotControl(emulator).snapshots, project: emulator.projectId }
  }

  protected override async explain(error: Error): Promise<Error> {
    if (!(error instanceof SvcError) || error.code !== 'SNAPSHOT_EXISTS' || !this.whereNameIsTaken)
      return super.explain(error)
    // The name is in the file, or was given: the refusal quotes the one that counts.
    const hint = this.whereNameIsTaken(/"(.+?)"/.exec(error.message)?.[1] ?? 'NAME')
    return reworded(error, () => ({ hint }))
  }
}

export const snapshotArg = Args.string({ required: true, description: 'name of the snapshot' })
