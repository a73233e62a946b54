import * as Args from '@oclif/core/args'
import { type FaultInput, type FaultPreset, faultPresets } from '../../../client/protocol/model/faults/fault.js'
import { ControlCommand } from '../../base/control-command.js'
import { whichFlags, whichRequests } from '../../faults/fault-flags.js'
import { faultRow } from '../../faults/fault-rows.js'
import { table } from '../../terminal/print.js'
import { prose } from '../../terminal/prose.js'

const names = Object.entries<readonly FaultInput[]>(faultPresets)
  .map(([name, faults]) => `  ${name.padEnd(14)}  ${faults.map(({ kind }) => kind).join(', ')}`)
  .join('\n')

export default class FaultsPreset extends ControlCommand {
  static override summary = 'Inject the faults of a preset.'
  static override description =
    `${prose('Replaces the active faults of the project. Remove them: svc faults remove --all. Presets and their faults:')}

${names}`
  static override examples = [
    '<%= config.bin %> faults preset flaky',
    '<%= config.bin %> faults preset slow-3g --path /files/**',
  ]
  static override args = {
    preset: Args.string({ required: true, description: 'name of the preset', options: Object.keys(faultPresets) }),
  }
  static override flags = whichFlags

  protected readonly access = 'write'

  async run() {
    const { args, flags } = await this.parse(FaultsPreset)
    const which = await whichRequests(this.emulator(flags), flags)
    const control = this.control(flags)
    await control.faults.clear({ project: which.project })
    const { faults } = await control.faults.addPreset({ preset: args.preset as FaultPreset, ...which })

    this.log(table(faults.map(faultRow)))
    return faults
  }
}
