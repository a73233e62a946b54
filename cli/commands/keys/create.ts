import * as Flags from '@oclif/core/flags'
import { scopeForm } from '../../../client/protocol/model/access/key-scope.js'
import { misuse } from '../../base/failure.js'
import { ProjectCommand } from '../../base/project-command.js'
import { readDuration } from '../../terminal/duration.js'
import { prose } from '../../terminal/prose.js'
import { printable } from '../../terminal/text-width.js'

export default class KeysCreate extends ProjectCommand {
  static override summary = "Create an API key for the emulator's project."
  static override description =
    prose(`Scopes limit a key to read, write or admin (schemas, permissions, and everything else), in the whole project or in one collection,
for example write:posts. Without scopes, a public key has access to everything that collections leave open, and a secret key to everything.
A secret key has every role within its scopes, and is shown only once.`)
  static override examples = [
    '<%= config.bin %> keys create --secret --name reports --scope read --expires 30d',
    '<%= config.bin %> keys create --scope read:posts,write:comments --json',
  ]
  static override flags = {
    secret: Flags.boolean({ description: 'create a secret key; never ship it with an app' }),
    name: Flags.string({ description: 'name of the key in lists' }),
    scope: Flags.string({
      multiple: true,
      multipleNonGreedy: true,
      delimiter: ',',
      description: 'read, write or admin, optionally for one collection',
      helpValue: 'read:posts',
    }),
    expires: Flags.string({ description: 'lifetime of the key', helpValue: '30d' }),
  }

  protected readonly access = 'write'

  async run() {
    const { flags } = await this.parse(KeysCreate)
    const wrong = flags.scope?.find((scope) => !scopeForm.test(scope))
    if (wrong !== undefined) {
      throw misuse(
        `Invalid scope "${wrong}".`,
        'Use read, write or admin, optionally with a collection, for example write:posts.',
      )
    }
    const { keys, project } = this.keys(flags)
    const expiresInSeconds = flags.expires === undefined ? undefined : parseSeconds(flags.expires)
    const made = await keys.create({
      project,
      secret: flags.secret === true,
      name: flags.name,
      scopes: flags.scope,
      expiresInSeconds,
    })

    this.log(printable(made.key))
    return made
  }
}

function parseSeconds(text: string): number {
  const seconds = Math.round(readDuration(text) / 1_000)
  if (seconds < 1)
    throw misuse(`Invalid --expires "${text}".`, 'Use at least one second, for example 12h, 30d or 365d.')
  return seconds
}
