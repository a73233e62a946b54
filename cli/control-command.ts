import { type Control, openControl } from './control.js'
import { dataFlag, emulatorHere, noEmulator } from './here.js'
import { SvcCommand } from './svc-command.js'

/** A command that only an emulator has: it speaks to the one of this folder, whatever else the settings name. */
export abstract class ControlCommand extends SvcCommand {
  static override baseFlags = { ...SvcCommand.baseFlags, data: dataFlag }

  /** @throws {CliFailure} with exit 8 if no emulator runs in the folder. */
  protected control({ data }: { data?: string | undefined }): Control {
    const emulator = emulatorHere(data)
    if (!emulator) throw noEmulator(data)
    return openControl(emulator)
  }
}
