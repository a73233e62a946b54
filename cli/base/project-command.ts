import type { Control } from '../../client/control.js'
import { openControl } from '../target/control.js'
import { ControlCommand } from './control-command.js'

/** A command for the project of the folder's emulator. */
export abstract class ProjectCommand extends ControlCommand {
  /** Returns the project calls of the control API, and the id of the emulator's own project. */
  protected projects(flags: { data?: string | undefined }): { projects: Control['projects']; project: string } {
    const emulator = this.emulator(flags)
    return { projects: openControl(emulator).projects, project: emulator.projectId }
  }

  /** Returns the key calls of the control API, and the id of the emulator's own project. */
  protected keys(flags: { data?: string | undefined }): { keys: Control['keys']; project: string } {
    const emulator = this.emulator(flags)
    return { keys: openControl(emulator).keys, project: emulator.projectId }
  }
}
