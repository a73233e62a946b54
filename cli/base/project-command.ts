import type { Control } from '../../client/control.js'
import { openControl } from '../target/control.js'
import { ControlCommand } from './control-command.js'

/** A command about the project of the emulator that runs here. */
export abstract class ProjectCommand extends ControlCommand {
  /** What the control API does with projects, and the id of the emulator's own. */
  protected projects(flags: { data?: string | undefined }): { projects: Control['projects']; project: string } {
    const emulator = this.emulator(flags)
    return { projects: openControl(emulator).projects, project: emulator.projectId }
  }

  /** What the control API does with keys, and the id of the emulator's own project. */
  protected keys(flags: { data?: string | undefined }): { keys: Control['keys']; project: string } {
    const emulator = this.emulator(flags)
    return { keys: openControl(emulator).keys, project: emulator.projectId }
  }
}
