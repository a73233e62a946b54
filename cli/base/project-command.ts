import type { JsonObject } from '../../client/protocol/model/json.js'
import { type Control, openControl } from '../target/control.js'
import { ControlCommand } from './control-command.js'

/** A command about the project of the emulator that runs here. */
export abstract class ProjectCommand extends ControlCommand {
  /** The control API, and the path of the emulator's own project. */
  protected project(flags: { data?: string | undefined }): { control: Control; path: string } {
    const emulator = this.emulator(flags)
    return { control: openControl(emulator), path: `/projects/${encodeURIComponent(emulator.projectId)}` }
  }
}

/** A project as the control API shows it. */
export interface ShownProject extends JsonObject {
  id: string
  name: string
  settings: JsonObject
}
