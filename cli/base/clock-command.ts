import * as Flags from '@oclif/core/flags'
import { type ClockCalls, clockOfProject } from '../../client/control.js'
import { ControlCommand } from './control-command.js'

/** A command for the emulator's clock, or the clock of a project. */
export abstract class ClockCommand extends ControlCommand {
  static override baseFlags = {
    ...ControlCommand.baseFlags,
    project: Flags.string({
      helpValue: 'ID',
      description: 'id of the project whose clock to use [default: all projects]',
    }),
  }

  /** @throws {CliFailure} with exit 8 if no emulator runs in the folder. */
  protected clock(flags: { data?: string | undefined; project?: string | undefined }): ClockCalls {
    const { clock } = this.control(flags)
    return flags.project === undefined ? clock : clockOfProject(clock, flags.project)
  }
}
