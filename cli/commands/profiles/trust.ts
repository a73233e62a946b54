import * as Flags from '@oclif/core/flags'
import { isLoopbackUrl } from '../../../client/protocol/model/loopback.js'
import { CliFailure, exits } from '../../base/failure.js'
import { SvcCommand } from '../../base/svc-command.js'
import { fileToAccept } from '../../config/folder-config.js'
import { findSeedModule } from '../../seeds/allow-code.js'
import { findProjectFile } from '../../target/project-file.js'
import { addressesOfFolder } from '../../target/target.js'
import { accept, acceptCode, acceptedAs, isAccepted, withdraw } from '../../target/trust.js'
import { prose } from '../../terminal/prose.js'

export default class ProfilesTrust extends SvcCommand {
  static override summary = 'Trust the address and the settings in svc.json of this folder.'
  static override description =
    prose(`A project file may come from a stranger. An address on another machine, or one of your profiles, that it names gets a
request, and your key, only after you accepted it: here, or at the question of the first command. It holds for this folder and
this address or profile; another is asked about again. The same goes for settings of svc dev in svc.json, and for seed modules, where svc was not used before.`)
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
    const addresses = addressesOfFolder()
    const named = addresses.find((address) => !isAccepted(address))
    if (named) {
      await accept(named)
      this.note(`Commands in this folder may send requests and keys to ${acceptedAs(named)}.`)
      return { path: named.path, url: named.url, isAccepted: true }
    }
    const known = addresses.find(({ path }) => path === project?.path)
    if (!known && code !== undefined) return { path: code, url: null, isAccepted: true }
    if (!known) {
      const message = 'No svc.json here names an address.'
      throw new CliFailure('NO_FILE', exits.notFound, message, 'See what is in force: svc config')
    }
    const isHere = known.profile === undefined && isLoopbackUrl(known.url)
    const why = isHere ? 'is on this machine, which is always trusted' : 'is trusted already'
    this.note(`${acceptedAs(known)} ${why}.`)
    return { path: known.path, url: known.url, isAccepted: true }
  }
}
