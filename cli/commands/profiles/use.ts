import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import { misuse } from '../../base/failure.js'
import { SvcCommand } from '../../base/svc-command.js'
import { changeProfiles, requireProfile } from '../../target/profiles.js'

export default class ProfilesUse extends SvcCommand {
  static override summary = 'Set the default profile.'
  static override description =
    'Commands use the default profile unless a flag, the environment, a running emulator or svc.json names a service.'
  static override examples = ['<%= config.bin %> profiles use staging', '<%= config.bin %> profiles use --none']
  static override args = { name: Args.string({ description: 'name of the profile' }) }
  static override flags = { none: Flags.boolean({ description: 'unset the default profile' }) }

  protected readonly access = 'write'

  async run() {
    const { args, flags } = await this.parse(ProfilesUse)
    if ((args.name === undefined) !== (flags.none === true))
      throw misuse('Name a profile, or pass --none.', 'List the profiles: svc profiles list')
    await changeProfiles(({ current: _, ...all }) => {
      if (args.name === undefined) return all
      requireProfile(args.name, all)
      return { ...all, current: args.name }
    })

    const where = args.name === undefined ? 'the running emulator' : `"${args.name}" if no emulator runs in the folder`
    this.note(`Commands use ${where}.`)
    return { current: args.name ?? null }
  }
}
