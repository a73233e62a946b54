import * as Args from '@oclif/core/args'
import type { Control } from '../../client/control.js'
import { SvcError } from '../../client/protocol/model/errors.js'
import { ControlCommand } from '../base/control-command.js'
import { reworded } from '../base/failure.js'
import { openSnapshotControl } from '../target/control.js'

/** Base of the commands that work on snapshots of the local emulator's project. */
export abstract class SnapshotCommand extends ControlCommand {
  /** Suggests how to resolve a name that is taken. Each command has its own way. */
  protected readonly whereNameIsTaken: ((name: string) => string) | undefined

  /** Returns the snapshot part of the control API and the id of the emulator's project. */
  protected snapshots(flags: { data?: string | undefined }): { snapshots: Control['snapshots']; project: string } {
    const emulator = this.emulator(flags)
    return { snapshots: openSnapshotControl(emulator).snapshots, project: emulator.projectId }
  }

  protected override async explain(error: Error): Promise<Error> {
    if (!(error instanceof SvcError) || error.code !== 'SNAPSHOT_EXISTS' || !this.whereNameIsTaken)
      return super.explain(error)
    // Quotes the name from the error, because it may come from the file instead of the command line.
    const hint = this.whereNameIsTaken(/"(.+?)"/.exec(error.message)?.[1] ?? 'NAME')
    return reworded(error, () => ({ hint }))
  }
}

export const snapshotArg = Args.string({ required: true, description: 'name of the snapshot' })
