import * as Flags from '@oclif/core/flags'
import type { Control } from '../../../client/control.js'
import { ProjectCommand } from '../../base/project-command.js'
import { prose } from '../../terminal/prose.js'
import { printable } from '../../terminal/text-width.js'

export default class ProjectKey extends ProjectCommand {
  static override summary = "Print the public key of the emulator's project, or create a secret key."
  static override description =
    prose(`Creates a public key only if the project has none. A secret key has every role and can manage permissions. It cannot be read
again, so --secret creates a new one each time. To create keys with a name, scopes and an expiry, use svc keys create.`)
  static override examples = [
    '<%= config.bin %> project key',
    '<%= config.bin %> project key --secret',
    'SVC_API_KEY=$(<%= config.bin %> project key --secret --quiet) <%= config.bin %> collections list',
  ]
  static override flags = { secret: Flags.boolean({ description: 'create a secret key; never ship it with an app' }) }

  protected readonly access = 'write'

  async run() {
    const { flags } = await this.parse(ProjectKey)
    const { keys, project } = this.keys(flags)
    const kept = flags.secret ? undefined : await keptPublic(keys, project, this.emulator(flags).apiKey)
    const key = kept ?? (await keys.create({ project, secret: flags.secret === true }))

    this.log(printable(key.key))
    return key
  }
}

/** Returns the key in the emulator file or, if it was revoked, the oldest public key with full access. */
async function keptPublic({ list }: Control['keys'], project: string, apiKey: string) {
  const { keys } = await list({ project })
  const whole = keys.flatMap(({ key, lastUsedAt: _, createdAt: __, ...kept }) =>
    key !== null && kept.scopes === null && kept.expiresAt === null ? [{ ...kept, key }] : [],
  )
  return whole.find(({ key }) => key === apiKey) ?? whole[0]
}
