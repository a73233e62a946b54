import * as Flags from '@oclif/core/flags'
import { UserCommand, userArg } from '../../../base/user-command.js'

export default class TwoFactorDisable extends UserCommand {
  static override summary = 'Turn two-factor login off.'
  static override description = 'With --code, as the user does; without, as the owner of the emulator.'
  static override examples = [
    '<%= config.bin %> users 2fa disable ada@example.com',
    '<%= config.bin %> users 2fa disable ada@example.com --token "$TOKEN" --code 123456',
  ]
  static override args = { user: userArg }
  static override flags = {
    code: Flags.string({ description: 'code of the authenticator app, or for recovery', dependsOn: ['token'] }),
    token: Flags.string({ description: 'token of the user', dependsOn: ['code'] }),
  }

  protected readonly access = 'write'

  async run() {
    const { args, flags } = await this.parse(TwoFactorDisable)
    const { code, token } = flags
    if (code !== undefined) {
      const what = `Turn off two-factor login of ${args.user}`
      const client = await this.clientAs(flags, { who: args.user, token, what })
      await client.auth.twoFactor.disable(code)
    } else {
      const owner = this.owner(flags)
      const { id } = await this.findUser(this.client(flags), args.user)
      await owner.update({ user: id, twoFactor: false })
    }

    this.note('Two-factor login is off.')
    return { user: args.user, twoFactor: false }
  }
}
