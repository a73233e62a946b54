import * as Args from '@oclif/core/args'
import { SvcCommand } from '../../base/svc-command.js'
import { changeProfiles, requireProfile } from '../../target/profiles.js'

export default class ProfilesRemove extends SvcCommand {
  static override hiddenAliases = ['profiles:rm']
  static override summary = 'Remove a profile and its key.'
  static override examples = [
    '<%= config.bin %> profiles remove staging',
    '<%= config.bin %> profiles remove staging --json',
  ]
  static override args = { name: Args.string({ required: true, description: 'name of the profile' }) }

  protected readonly access = 'write'

  async run() {
    const { args } = await this.parse(ProfilesRemove)
    await changeProfiles(({ current, profiles }) => {
      requireProfile(args.name, { profiles })
      const rest = Object.fromEntries(Object.entries(profiles).filter(([name]) => name !== args.name))
      return { ...(current && current !== args.name ? { current } : {}), profiles: rest }
    })

    this.note(`Removed profile "${args.name}".`)
    return { removed: args.name }
  }
}
