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
  static override summary = 'Trust the svc.json of this folder.'
  static override description =
    prose(`A svc.json can come from a stranger. If it names another machine or one of your profiles, commands send requests and keys there only
after you accept it, with this command or at the first prompt. Your choice applies to this folder and this address or profile. In a folder
where svc was not used before, settings of svc dev and seed modules need your consent too.`)
  static override examples = ['<%= config.bin %> profiles trust', '<%= config.bin %> profiles trust --remove']
  static override flags = { remove: Flags.boolean({ description: 'no longer trust this folder' }) }

  protected readonly access = 'write'

  async run() {
    const { flags } = await this.parse(ProfilesTrust)
    const project = findProjectFile()
    const config = fileToAccept()
    const code = config ?? findSeedModule()
    const path = project?.path ?? code
    if (flags.remove && path !== undefined) return this.withdrawAll(path, code ?? path)
    if (code !== undefined) {
      await acceptCode(code)
      this.note(
        config === undefined
          ? 'Commands may run code in this folder, such as seeds.'
          : `Commands may use the settings in ${code}.`,
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
      const message = 'No svc.json here has an address.'
      throw new CliFailure('NO_FILE', exits.notFound, message, 'Show the active settings: svc config')
    }
    const isHere = known.profile === undefined && isLoopbackUrl(known.url)
    const why = isHere ? 'is on this machine, which is always trusted' : 'is trusted already'
    this.note(`${acceptedAs(known)} ${why}.`)
    return { path: known.path, url: known.url, isAccepted: true }
  }

  private async withdrawAll(path: string, code: string) {
    for (const one of new Set([path, code])) await withdraw({ path: one })
    this.note(`The addresses in ${path} and code in this folder are no longer trusted.`)
    return { path, url: null, isAccepted: false }
  }
}
