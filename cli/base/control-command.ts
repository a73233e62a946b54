import type { Control } from '../../client/control.js'
import { openControl } from '../target/control.js'
import type { OwnEmulator } from '../target/emulator-of-run.js'
import { dataFlag, emulatorOfRunOrHere, noEmulatorAsked } from './here.js'
import { SvcCommand } from './svc-command.js'

/** A command for the emulator of this folder, whatever service the settings name. */
export abstract class ControlCommand extends SvcCommand {
  static override baseFlags = { ...SvcCommand.baseFlags, data: dataFlag }

  /** Returns the emulator of this test run, else the folder's. @throws {CliFailure} with exit 8 if none runs. */
  protected emulator({ data }: { data?: string | undefined }): OwnEmulator {
    const emulator = emulatorOfRunOrHere(data)
    if (emulator) return emulator
    throw noEmulatorAsked(data)
  }

  /** @throws {CliFailure} with exit 8 if no emulator runs in the folder. */
  protected control(flags: { data?: string | undefined }): Control {
    return openControl(this.emulator(flags))
  }
}
