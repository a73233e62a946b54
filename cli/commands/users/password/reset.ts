import * as Flags from '@oclif/core/flags'
import { newPasswordFlag, UserCommand } from '../../../base/user-command.js'

export default class UsersPasswordReset extends UserCommand {
  static override summary = 'Set a new password with the token from a reset mail.'
  static override description = 'Ends all sessions of the user.'
  static override examples = [
    '<%= config.bin %> users password reset --token <token of the mail>',
    '<%= config.bin %> users password reset --token "$TOKEN" --new-password New4Horses --json',
  ]
  static override flags = {
    token: Flags.string({ required: true, description: 'token from the mail' }),
    'new-password': newPasswordFlag,
  }

  protected readonly access = 'write'

  async run() {
    const { flags } = await this.parse(UsersPasswordReset)
    const newPassword = await this.askNewPassword(flags['new-password'], flags)
    const client = await this.clientForWrite(flags, 'Set a new password')
    await client.auth.resetPassword({ token: flags.token, newPassword })

    this.note('Changed the password. Log in with the new one.')
    return { changed: true }
  }
}
