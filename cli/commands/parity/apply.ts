import * as Args from '@oclif/core/args'
import { misuse } from '../../base/failure.js'
import { ProjectCommand } from '../../base/project-command.js'
import { requireReport, saveApplied } from '../../parity/kept-runs.js'

export default class ParityApply extends ProjectCommand {
  static override summary = 'Change the dialect of your emulator as a parity run advises.'
  static override description =
    'Sets the dialect of the project, so that the emulator answers like the service. svc undo sets it back.'
  static override examples = ['<%= config.bin %> parity apply', '<%= config.bin %> parity apply m1x2y3z4abc --json']
  static override args = { run: Args.string({ description: 'run with the advice [default: the newest]' }) }

  protected readonly access = 'write'

  async run() {
    const { args, flags } = await this.parse(ParityApply)
    const { run, advice } = requireReport(args.run)
    if (!advice) throw misuse(`Run ${run} advises no setting.`, 'No dialect mends what it found, or nothing differs.')
    const { projects, project } = this.projects(flags)
    const { settings: before } = await projects.get({ project })
    const { settings } = await projects.update({ project, settings: { dialect: advice.dialect } })
    const applied = { run, project, before: before.dialect, dialect: settings.dialect, at: new Date().toISOString() }
    saveApplied(applied)
    this.note(`Set the dialect to "${settings.dialect}". To undo this: svc undo`)
    return applied
  }
}
