import * as Flags from '@oclif/core/flags'
import { scopeForm } from '../../../client/protocol/model/access/key-scope.js'
import { misuse } from '../../base/failure.js'
import { ProjectCommand } from '../../base/project-command.js'
import { readDuration } from '../../terminal/duration.js'
import { prose } from '../../terminal/prose.js'
import { printable } from '../../terminal/text-width.js'

export default class KeysCreate extends ProjectCommand {
  static override summary = "Create a key of the emulator's project, and print it."
  static override description =
    prose(`Scopes bound what a key is good for: read, write, admin (schemas, permissions, and everything else), in the whole project or, as
write:posts, in one collection. A key without scopes does all that its kind may: a public one what collections leave open, a secret one
everything. A secret key satisfies every role within its scopes. It is printed this once.`)
  static override examples = [
    '<%= config.bin %> keys create --secret --name reports --scope read --expires 30d',
    '<%= config.bin %> keys create --scope read:posts,write:comments --json',
  ]
  static override flags = {
    secret: Flags.boolean({ description: 'a secret key, never meant for an app that ships' }),
    name: Flags.string({ description: 'what lists call it' }),
    scope: Flags.string({
      multiple: true,
      multipleNonGreedy: true,
      delimiter: ',',
      description: 'what it is good for: read, write, admin, or one of them in a collection',
      helpValue: 'read:posts',
    }),
    expires: Flags.string({ description: 'how long it is valid', helpValue: '30d' }),
  }

  async run() {
    const { flags } = await this.parse(KeysCreate)
    const wrong = flags.scope?.find((scope) => !scopeForm.test(scope))
    if (wrong !== undefined) {
      throw misuse(
        `Not a valid scope: "${wrong}".`,
        'Use read, write, admin, or one of them with a collection, as write:posts.',
      )
    }
    const { keys, project } = this.keys(flags)
    const expiresInSeconds = flags.expires === undefined ? undefined : secondsOf(flags.expires)
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

function secondsOf(text: string): number {
  const seconds = Math.round(readDuration(text) / 1_000)
  if (seconds < 1) throw misuse(`--expires takes at least a second, not "${text}".`, 'Use 12h, 30d or 365d.')
  return seconds
}
