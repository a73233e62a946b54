import * as Flags from '@oclif/core/flags'
import type { Control } from '../../../client/control.js'
import { ProjectCommand } from '../../base/project-command.js'
import { prose } from '../../terminal/prose.js'
import { printable } from '../../terminal/text-width.js'

export default class ProjectKey extends ProjectCommand {
  static override summary = "Print the public key of the emulator's project, or another secret one."
  static override description =
    prose(`The public key is the one that the project has, and is created only where no such key is left. A secret key satisfies every role
and manages collections that have permissions; it cannot be read again, so that --secret creates another one and prints it this once.
svc keys create makes keys with a name, scopes and an expiry.`)
  static override examples = [
    '<%= config.bin %> project key',
    '<%= config.bin %> project key --secret',
    'SVC_API_KEY=$(<%= config.bin %> project key --secret --quiet) <%= config.bin %> collections list',
  ]
  static override flags = { secret: Flags.boolean({ description: 'a secret key, never meant for an app that ships' }) }

  async run() {
    const { flags } = await this.parse(ProjectKey)
    const { keys, project } = this.keys(flags)
    const kept = flags.secret ? undefined : await keptPublic(keys, project, this.emulator(flags).apiKey)
    const key = kept ?? (await keys.create({ project, secret: flags.secret === true }))

    this.log(printable(key.key))
    return key
  }
}

/** A key that apps may carry: that of the emulator's file or, where it was revoked, the oldest that can do as much. */
async function keptPublic({ list }: Control['keys'], project: string, apiKey: string) {
  const { keys } = await list({ project })
  const whole = keys.flatMap(({ key, lastUsedAt: _, createdAt: __, ...kept }) =>
    key !== null && kept.scopes === null && kept.expiresAt === null ? [{ ...kept, key }] : [],
  )
  return whole.find(({ key }) => key === apiKey) ?? whole[0]
}
