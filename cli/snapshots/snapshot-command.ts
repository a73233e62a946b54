import * as Args from '@oclif/core/args'
import type { Control } from '../../client/control.js'
import { ControlCommand } from '../base/control-command.js'
import { openControl } from '../target/control.js'

/** A large one takes its time. */
const mostMilliseconds = 600_000

/** A command about snapshots of the project of the emulator that runs here. */
export abstract class SnapshotCommand extends ControlCommand {
  /** What the control API does with snapshots, and the id of the emulator's own project. */
  protected snapshots(flags: { data?: string | undefined }): { snapshots: Control['snapshots']; project: string } {
    const emulator = this.emulator(flags)
    return { snapshots: openControl(emulator, mostMilliseconds).snapshots, project: emulator.projectId }
  }
}

export const snapshotArg = Args.string({ required: true, ignoreStdin: true, description: 'name of the snapshot' })
