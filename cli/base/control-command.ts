import type { Input, ParserOutput } from '@oclif/core/interfaces'
import type { Control } from '../../client/control.js'
import { openControl } from '../target/control.js'
import type { OwnEmulator } from '../target/emulator-of-run.js'
import { misuse } from './failure.js'
import { dataFlag, emulatorOfRunOrHere, noEmulatorAsked } from './here.js'
import { type Named, SvcCommand } from './svc-command.js'

/** A command that only an emulator has: it speaks to the one of this folder, whatever else the settings name. */
export abstract class ControlCommand extends SvcCommand {
  static override baseFlags = { ...SvcCommand.baseFlags, data: dataFlag }

  /** Another service has nothing of what these commands show and change. */
  protected override parse<F extends Named, B extends Named, A extends Named>(
    options?: Input<F, B, A>,
    argv: string[] = this.argv,
  ): Promise<ParserOutput<F, B, A>> {
    const words = argv.slice(0, argv.includes('--') ? argv.indexOf('--') : undefined)
    const named = words.map((word) => /^(--profile|--url|-P)(?==|$)/.exec(word)?.[1]).find(Boolean)
    if (named === undefined) return super.parse(options, argv)
    const command = `svc ${(this.id ?? '').replaceAll(':', ' ')}`
    throw misuse(`${command} is of the emulator only, and has no ${named}.`, 'Run it in the folder where svc dev runs.')
  }

  /** The emulator of this test run, else that of the folder. @throws {CliFailure} with exit 8 if none runs there. */
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
