import * as Flags from '@oclif/core/flags'
import { UserCommand, userArg } from '../../../base/user-command.js'

export default class TwoFactorDisable extends UserCommand {
  static override summary = 'Disable two-factor login.'
  static override description = 'With --code, acts as the user. Without it, acts as the owner of the emulator.'
  static override examples = [
    '<%= config.bin %> users 2fa disable ada@example.com',
    '<%= config.bin %> users 2fa disable ada@example.com --token "$TOKEN" --code 123456',
  ]
  static override args = { user: userArg }
  static override flags = {
    code: Flags.string({ description: 'code from the authenticator app, or a recovery code', dependsOn: ['token'] }),
    token: Flags.string({ description: 'token of the user', dependsOn: ['code'] }),
  }

  protected readonly access = 'write'

  async run() {
    const { args, flags } = await this.parse(TwoFactorDisable)
    const { code, token } = flags
    if (code !== undefined) {
      const what = `Disable two-factor login of ${args.user}`
      const client = await this.clientAs(flags, { who: args.user, token, what })
      await client.auth.twoFactor.disable(code)
    } else {
      const owner = this.owner(flags)
      const { id } = await this.findUser(this.client(flags), args.user)
      await owner.update({ user: id, twoFactor: false })
    }

    this.note('Disabled two-factor login.')
    return { user: args.user, twoFactor: false }
  }
}
