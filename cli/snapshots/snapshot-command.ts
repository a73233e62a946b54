import * as Args from '@oclif/core/args'
import type { Control } from '../../client/control.js'
import { SvcError } from '../../client/protocol/model/errors.js'
import { ControlCommand } from '../base/control-command.js'
import { reworded } from '../base/failure.js'
import { openSnapshotControl } from '../target/control.js'

/** A command about snapshots of the project of the emulator that runs here. */
export abstract class SnapshotCommand extends ControlCommand {
  /** What to do where the name is taken, which each command lets its user say in its own way. */
  protected readonly whereNameIsTaken: string | undefined

  /** What the control API does with snapshots, and the id of the emulator's own project. */
  protected snapshots(flags: { data?: string | undefined }): { snapshots: Control['snapshots']; project: string } {
    const emulator = this.emulator(flags)
    return { snapshots: openSnapshotControl(emulator).snapshots, project: emulator.projectId }
  }

  protected override async explain(error: Error): Promise<Error> {
    const hint = this.whereNameIsTaken
    const isTaken = error instanceof SvcError && error.code === 'SNAPSHOT_EXISTS' && hint !== undefined
    return isTaken ? reworded(error, () => ({ hint })) : super.explain(error)
  }
}

export const snapshotArg = Args.string({ required: true, ignoreStdin: true, description: 'name of the snapshot' })
