import * as Flags from '@oclif/core/flags'
import { CliFailure, exits } from '../../base/failure.js'
import { ServiceCommand } from '../../base/service-command.js'
import { providerArg } from '../../idp/provider-arg.js'
import { printable } from '../../terminal/text-width.js'

export default class IdpCallback extends ServiceCommand {
  static override summary = 'Finish a login at a named provider and print the token.'
  static override examples = [
    '<%= config.bin %> idp callback google --code 4/0AX… --state "$STATE"',
    '<%= config.bin %> idp callback google --code 4/0AX… --state "$STATE" --json',
  ]
  static override args = { provider: providerArg }
  static override flags = {
    code: Flags.string({ required: true, description: 'code from the query of the redirect' }),
    state: Flags.string({ required: true, description: 'state from the query of the redirect' }),
  }

  protected readonly access = 'read'

  async run() {
    const { args, flags } = await this.parse(IdpCallback)
    const { code, state } = flags
    const result = await this.client(flags).auth.provider(args.provider).callback({ code, state })
    if (result.requires2fa) throw new CliFailure('2FA_REQUIRED', exits.notAuthorised, result.message)

    this.note(`Logged in ${result.user.email}.`)
    this.log(printable(result.token))
    return { token: result.token, user: result.user }
  }
}
