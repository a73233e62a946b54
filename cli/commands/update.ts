import * as Flags from '@oclif/core/flags'
import { isObject } from '../../client/protocol/model/json.js'
import { SvcCommand } from '../base/svc-command.js'
import { detectPackageManager } from '../init/package-manager.js'
import { packageIn, repositoryRoot } from '../init/repository.js'
import { prose } from '../terminal/prose.js'
import { isNewer, packageName, readRelease, refreshRelease } from '../update/release.js'

const clientPackage = 'svc-toolkit-client'

export default class Update extends SvcCommand {
  static override summary = 'Print the commands that update svc.'
  static override description =
    prose(`Detects your package manager, and changes nothing. At a terminal, svc also mentions a newer release once a day. It never does in CI,
in a pipe, with --json, or with SVC_UPDATE_NOTICE=off.`)
  static override examples = ['<%= config.bin %> update', '<%= config.bin %> update --json']
  static override flags = {
    refresh: Flags.boolean({ hidden: true, description: 'look the newest release up now' }),
  }

  protected readonly access = 'read'

  async run() {
    const { flags } = await this.parse(Update)
    const { latest = null } = flags.refresh ? await refreshRelease(Date.now()) : readRelease()
    const folder = process.cwd()
    const { version } = this.config
    const commands = updateCommands(folder)
    for (const command of commands) this.log(command)
    if (latest !== null && isNewer(latest, version)) this.note(`You have ${version}; ${latest} is available.`)
    else this.note(`You have ${version}.`)
    return { version, latest, commands }
  }
}

/** Updates the packages that the app names. Without any, the global installation. */
function updateCommands(folder: string): string[] {
  const { dependencies, devDependencies } = packageIn(folder)
  const has = (list: unknown, name: string) => isObject(list) && Object.hasOwn(list, name)
  const { add, addDev } = detectPackageManager(folder, repositoryRoot(folder))
  const commands = [packageName, clientPackage].flatMap((name) => {
    if (has(dependencies, name)) return [`${add} ${name}@latest`]
    return has(devDependencies, name) ? [`${addDev} ${name}@latest`] : []
  })
  return commands.length > 0 ? commands : [`npm install --global ${packageName}@latest`]
}
