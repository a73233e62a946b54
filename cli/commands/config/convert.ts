import { CliFailure, exits } from '../../base/failure.js'
import { SvcCommand } from '../../base/svc-command.js'
import { findCodeFile } from '../../config/run-config.js'
import { convertToCode } from '../../config/save-config.js'
import { nearby } from '../../dev/box.js'
import { findProjectFile } from '../../target/project-file.js'
import { prose } from '../../terminal/prose.js'

export default class ConfigConvert extends SvcCommand {
  static override summary = 'Move what svc.json says of svc dev into svc.config.ts.'
  static override description =
    prose(`What commands read, url, profile and dialect, stays in svc.json, since they run no code. The other way round it is
svc dev --save-config, which runs svc.config.ts to know what it says.`)
  static override examples = ['<%= config.bin %> config convert', '<%= config.bin %> config convert --json']

  async run() {
    await this.parse(ConfigConvert)
    const file = findProjectFile()
    if (!file) {
      const code = findCodeFile()
      const message =
        code === undefined ? 'No svc.json here.' : `No svc.json here, and ${nearby(code)} is code already.`
      const hint = code === undefined ? 'svc init writes one.' : 'The other way round: svc dev --save-config'
      throw new CliFailure('NO_FILE', exits.notFound, message, hint)
    }
    const { path, from, isKept } = await convertToCode(file)
    const rest = isKept ? `${nearby(from)} keeps what commands read.` : `${nearby(from)} is gone.`
    this.note(`${nearby(path)} says how svc dev runs. ${rest}`)
    return { path, from, isKept }
  }
}
