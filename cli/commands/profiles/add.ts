import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import { parseDialect } from '../../../client/protocol/wire/dialects.js'
import { CliFailure, exits } from '../../base/failure.js'
import { SvcCommand } from '../../base/svc-command.js'
import { askKey } from '../../target/ask-key.js'
import {
  changeProfiles,
  maskKey,
  type Profiles,
  profilesFile,
  readProfiles,
  requireProfileName,
} from '../../target/profiles.js'
import { keyWithheld, readAddress, requireEncrypted } from '../../target/target.js'
import { prose } from '../../terminal/prose.js'

export default class ProfilesAdd extends SvcCommand {
  static override summary = 'Save the address and key of a service as a profile.'
  static override description =
    prose(`Saves the key in a file that only you can read. Without --key, uses SVC_API_KEY, unless SVC_URL names another service, or asks at a
terminal. Prefer that to --key, which stays in your shell history.`)
  static override examples = [
    '<%= config.bin %> profiles add staging --url https://staging.example.com',
    'SVC_API_KEY=svc_key_… <%= config.bin %> profiles add ci --url https://staging.example.com --dialect b --use',
  ]
  static override args = { name: Args.string({ required: true, description: 'name of the profile' }) }
  static override flags = {
    url: Flags.string({ required: true, description: 'address of the service' }),
    key: Flags.string({ description: 'API key [SVC_API_KEY]' }),
    dialect: Flags.string({ description: 'dialect of the service; see svc dialects detect' }),
    insecure: Flags.boolean({ description: 'allow an http:// address of another machine; sends the key unencrypted' }),
    use: Flags.boolean({ description: 'make it the default profile' }),
    replace: Flags.boolean({ description: 'replace an existing profile' }),
  }

  protected readonly access = 'write'

  async run() {
    const { args, flags } = await this.parse(ProfilesAdd)
    requireProfileName(args.name)
    if (!flags.replace) requireFree(args.name, readProfiles())
    if (flags.dialect) parseDialect(flags.dialect)
    const url = readAddress(flags.url, '--url')
    if (!flags.insecure) requireEncrypted(url)
    const withheld = flags.key === undefined ? keyWithheld(url) : undefined
    if (withheld) this.note(withheld)
    const ofEnvironment = withheld ? undefined : process.env.SVC_API_KEY
    const key = flags.key ?? ofEnvironment ?? (this.mayAsk(flags) ? await askKey() : undefined)
    const profile = { url, ...(key ? { key } : {}), ...(flags.dialect ? { dialect: flags.dialect } : {}) }
    const { current } = await changeProfiles((now) => {
      if (!flags.replace) requireFree(args.name, now)
      return {
        ...now,
        ...(flags.use ? { current: args.name } : {}),
        profiles: { ...now.profiles, [args.name]: profile },
      }
    })
    this.note(`Saved profile "${args.name}" in ${profilesFile()}${key ? '' : ', without a key'}.`)
    return {
      name: args.name,
      ...profile,
      key: key ? maskKey(key) : null,
      isCurrent: current === args.name,
    }
  }
}

/** @throws {CliFailure} if the profile exists */
function requireFree(name: string, { profiles }: Profiles): void {
  if (!Object.hasOwn(profiles, name)) return
  throw new CliFailure(
    'PROFILE_EXISTS',
    exits.invalid,
    `Profile "${name}" already exists.`,
    'To replace it, pass --replace.',
  )
}
