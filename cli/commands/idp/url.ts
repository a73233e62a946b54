import * as Flags from '@oclif/core/flags'
import { answeredWithout } from '../../base/foreign-answer.js'
import { ServiceCommand } from '../../base/service-command.js'
import { providerArg } from '../../idp/provider-arg.js'
import { prose } from '../../terminal/prose.js'
import { shellWord } from '../../terminal/shell-word.js'
import { printable } from '../../terminal/text-width.js'

export default class IdpUrl extends ServiceCommand {
  static override summary = 'Print the login address of a named provider.'
  static override description =
    prose(`For apps that handle the code themselves. The provider redirects the browser to the redirect URL, with the code and state for
svc idp callback.`)
  static override examples = [
    '<%= config.bin %> idp url google --redirect-url http://localhost:5173/after-login',
    '<%= config.bin %> idp url github --redirect-url http://localhost:5173/after-login --scope repo --json',
  ]
  static override args = { provider: providerArg }
  static override flags = {
    'redirect-url': Flags.string({
      required: true,
      description: 'page of your app that receives the code, on an allowed origin',
      helpValue: 'address',
    }),
    scope: Flags.string({ multiple: true, multipleNonGreedy: true, description: 'additional scope' }),
  }

  protected readonly access = 'read'

  async run() {
    const { args, flags } = await this.parse(IdpUrl)
    const input = { redirectUrl: flags['redirect-url'], ...(flags.scope ? { scopes: flags.scope } : {}) }
    const { url, state } = await this.client(flags).auth.provider(args.provider).url(input)
    if (!url || !state) throw answeredWithout('an address to log in at', this.requireTarget(flags).url)

    this.log(printable(url))
    this.note(
      `Finish the login: svc idp callback ${shellWord(args.provider)} --state ${shellWord(state)} --code <code>`,
    )
    return { url, state }
  }
}
