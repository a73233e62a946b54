import * as Args from '@oclif/core/args'
import type { Control } from '../../client/control.js'
import { ControlCommand } from '../base/control-command.js'
import { openSnapshotControl } from '../target/control.js'

/** A command about snapshots of the project of the emulator that runs here. */
export abstract class SnapshotCommand extends ControlCommand {
  /** What the control API does with snapshots, and the id of the emulator's own project. */
  protected snapshots(flags: { data?: string | undefined }): { snapshots: Control['snapshots']; project: string } {
    const emulator = this.emulator(flags)
    return { snapshots: openSnapshotControl(emulator).snapshots, project: emulator.projectId }
  }
}

export const snapshotArg = Args.string({ required: true, ignoreStdin: true, description: 'name of the snapshot' })
