import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import {
  type ProviderFault,
  providerFaults,
  type StandingFault,
} from '../../../client/protocol/model/provider-login.js'
import { ControlCommand } from '../../base/control-command.js'
import { misuse } from '../../base/failure.js'
import { faultHelp } from '../../idp/outcome.js'
import { counted } from '../../terminal/print.js'
import { prose } from '../../terminal/prose.js'
import { printable } from '../../terminal/text-width.js'

export default class IdpFail extends ControlCommand {
  static override summary = 'Make logins at the built-in identity provider fail.'
  static override description =
    prose(`Makes one login fail, several, or all until --off. Without a case, shows the current setting.

Cases, what the provider does, and how the login ends:

${faultHelp}`)
  static override examples = [
    '<%= config.bin %> idp fail no-email',
    '<%= config.bin %> idp fail slow --always',
    '<%= config.bin %> idp fail --off',
  ]
  static override args = {
    case: Args.string({ description: 'kind of failure', options: Object.keys(providerFaults) }),
  }
  static override flags = {
    times: Flags.integer({
      min: 1,
      description: 'number of logins that fail [default: 1]',
      exclusive: ['always', 'off'],
    }),
    always: Flags.boolean({ description: 'make all logins fail, until --off', exclusive: ['off'] }),
    off: Flags.boolean({ description: 'let logins work again' }),
  }

  protected readonly access = 'write'

  async run() {
    const { args, flags } = await this.parse(IdpFail)
    if (flags.off && args.case !== undefined)
      throw misuse(`--off cannot be combined with "${args.case}".`, 'Leave out one of them.')
    if (args.case === undefined && (flags.always || flags.times !== undefined)) {
      throw misuse('The case is missing.', `Use one of ${Object.keys(providerFaults).join(', ')}.`)
    }
    const { faults } = this.control(flags).idp
    if (flags.off) await faults.clear()
    if (args.case !== undefined) {
      await faults.set({ fault: args.case as ProviderFault, times: flags.always ? null : (flags.times ?? 1) })
    }
    const { faults: standing } = await faults.list()

    this.log(standing.length === 0 ? 'Logins work.' : standing.map(sentence).join('\n'))
    return standing
  }
}

function sentence({ fault, times, client }: StandingFault): string {
  const often = times === null ? 'Until switched off' : `In the next ${counted(times, 'login')}`
  return `${often}, the provider ${providerFaults[fault].says}${client === undefined ? '' : ` (client "${printable(client)}")`}.`
}
