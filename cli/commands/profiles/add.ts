import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import { parseDialect } from '../../../client/protocol/wire/dialects.js'
import { CliFailure, exits, misuse } from '../../base/failure.js'
import { SvcCommand } from '../../base/svc-command.js'
import { changeProfiles, maskKey, type Profiles, profilesFile, readProfiles } from '../../target/profiles.js'
import { isUnencrypted, keyWithheld, readAddress } from '../../target/target.js'
import { prose } from '../../terminal/prose.js'

export default class ProfilesAdd extends SvcCommand {
  static override summary = 'Add a profile: the address and key of a service.'
  static override description =
    prose(`The key is kept in a file that only you can read. Left out, it is asked for at a terminal, or
taken from SVC_API_KEY, unless that stands beside the SVC_URL of another service: a key among the arguments stays in the history
of the shell.`)
  static override examples = [
    '<%= config.bin %> profiles add staging --url https://staging.example.com',
    'SVC_API_KEY=svc_key_… <%= config.bin %> profiles add ci --url https://staging.example.com --dialect b --use',
  ]
  static override args = { name: Args.string({ required: true, description: 'name of the profile' }) }
  static override flags = {
    url: Flags.string({ required: true, description: 'address of the service' }),
    key: Flags.string({ description: 'API key [SVC_API_KEY]' }),
    dialect: Flags.string({ description: 'forms it speaks; svc dialects detect finds out' }),
    insecure: Flags.boolean({ description: 'take an http:// address of another machine; its key travels unencrypted' }),
    use: Flags.boolean({ description: 'make it the default profile' }),
    replace: Flags.boolean({ description: 'replace the profile of that name' }),
  }

  async run() {
    const { args, flags } = await this.parse(ProfilesAdd)
    if (!/^[\w.-]+$/.test(args.name))
      throw misuse(`Not a valid profile name: "${args.name}".`, 'Use letters, digits, . _ and -.')
    if (!flags.replace) requireFree(args.name, readProfiles())
    if (flags.dialect) parseDialect(flags.dialect)
    const url = readAddress(flags.url, '--url')
    if (!flags.insecure && isUnencrypted(url)) {
      throw misuse(`Keys would travel unencrypted to ${url}.`, 'Use https://, or take the risk with --insecure.')
    }
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
    this.note(`"${args.name}" is kept in ${profilesFile()}${key ? '' : ', without a key'}.`)
    return {
      name: args.name,
      ...profile,
      key: key ? maskKey(key) : null,
      isCurrent: current === args.name,
    }
  }
}

/** @throws {CliFailure} where there is a profile of that name */
function requireFree(name: string, { profiles }: Profiles): void {
  if (!Object.hasOwn(profiles, name)) return
  throw new CliFailure('PROFILE_EXISTS', exits.invalid, `There is a profile "${name}".`, 'Replace it: --replace')
}

async function askKey(): Promise<string> {
  const { password } = await import('@inquirer/prompts')
  return password({ message: 'API key (empty for none)', mask: true }, { output: process.stderr })
}
