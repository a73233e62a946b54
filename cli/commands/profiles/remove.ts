import * as Args from '@oclif/core/args'
import { SvcCommand } from '../../base/svc-command.js'
import { readProfiles, requireProfile, writeProfiles } from '../../target/profiles.js'

export default class ProfilesRemove extends SvcCommand {
  static override summary = 'Remove a profile and its key.'
  static override examples = [
    '<%= config.bin %> profiles remove staging',
    '<%= config.bin %> profiles remove staging --json',
  ]
  static override args = { name: Args.string({ required: true, description: 'name of the profile' }) }

  async run() {
    const { args } = await this.parse(ProfilesRemove)
    const { current, profiles } = readProfiles()
    requireProfile(args.name, { profiles })
    const rest = Object.fromEntries(Object.entries(profiles).filter(([name]) => name !== args.name))
    await writeProfiles({ ...(current && current !== args.name ? { current } : {}), profiles: rest })

    this.note(`"${args.name}" is forgotten.`)
    return { removed: args.name }
  }
}
