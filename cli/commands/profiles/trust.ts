import * as Flags from '@oclif/core/flags'
import { isLoopbackUrl } from '../../../client/protocol/model/loopback.js'
import { CliFailure, exits } from '../../base/failure.js'
import { SvcCommand } from '../../base/svc-command.js'
import { fileToAccept } from '../../config/folder-config.js'
import { findSeedModule } from '../../seeds/allow-code.js'
import { findProjectFile } from '../../target/project-file.js'
import { doubtfulAddress } from '../../target/target.js'
import { accept, acceptCode, withdraw } from '../../target/trust.js'
import { prose } from '../../terminal/prose.js'

export default class ProfilesTrust extends SvcCommand {
  static override summary = 'Trust the address and the settings in svc.json of this folder.'
  static override description =
    prose(`A project file may come from a stranger. An address on another machine that it names gets a request, and your key, only
after you accepted it: here, or at the question of the first command. It holds for this folder and this address; another
address is asked about again. The same goes for settings of svc dev in svc.json, and for seed modules, where svc was not used before.`)
  static override examples = ['<%= config.bin %> profiles trust', '<%= config.bin %> profiles trust --remove']
  static override flags = { remove: Flags.boolean({ description: 'trust no address of this folder any longer' }) }

  async run() {
    const { flags } = await this.parse(ProfilesTrust)
    const project = findProjectFile()
    const config = fileToAccept()
    const code = config ?? findSeedModule()
    const path = project?.path ?? code
    if (flags.remove && path !== undefined) {
      for (const one of new Set([path, code ?? path])) await withdraw({ path: one })
      this.note(`No address that ${path} names is accepted, and nothing in the folder is run.`)
      return { path, url: null, isAccepted: false }
    }
    if (code !== undefined) {
      await acceptCode(code)
      this.note(
        config === undefined
          ? 'Code of this folder, such as seeds, may be run.'
          : `${code} says how the emulator runs here.`,
      )
    }
    // What the environment says for now is no matter of the folder.
    const named = doubtfulAddress({}, { ...process.env, SVC_URL: '', SVC_PROFILE: '' })
    if (named) {
      await accept(named)
      this.note(`Commands in this folder may send requests and keys to ${named.url}.`)
      return { ...named, isAccepted: true }
    }
    if (!project?.url && code !== undefined) return { path: code, url: null, isAccepted: true }
    if (!project?.url) {
      const message = 'No svc.json here names an address.'
      throw new CliFailure('NO_FILE', exits.notFound, message, 'See what is in force: svc config')
    }
    const why = isLoopbackUrl(project.url) ? 'is on this machine, which is always trusted' : 'is trusted already'
    this.note(`${project.url} ${why}.`)
    return { path: project.path, url: project.url, isAccepted: true }
  }
}
