import { hopKinds, type LoginHop } from '../../../client/protocol/model/provider-login.js'
import { ControlCommand } from '../../base/control-command.js'
import { table } from '../../terminal/print.js'
import { prose } from '../../terminal/prose.js'
import { printable } from '../../terminal/text-width.js'

export default class IdpFlows extends ControlCommand {
  static override summary = 'Show recent logins through identity providers, step by step.'
  static override description =
    prose(`Shows up to 20 logins of the project since the emulator started. Secrets, codes and tokens are masked as "…" with their
length. --json has all requests and responses.`)
  static override examples = ['<%= config.bin %> idp flows', '<%= config.bin %> idp flows --json']

  protected readonly access = 'read'

  async run() {
    const { flags } = await this.parse(IdpFlows)
    const { projectId: project } = this.emulator(flags)
    const { flows } = await this.control(flags).idp.flows.list({ project })

    if (flows.length === 0) this.note('No logins through a provider since the emulator started.')
    for (const { at, provider, outcome, hops } of flows) {
      this.log(printable(`${at} ${provider}: ${outcome ?? 'not finished'}`))
      this.log(table(hops.map(row)))
    }
    return flows
  }
}

function row({ kind, from, to, method, url, status, milliseconds }: LoginHop) {
  return {
    hop: `${from} → ${to}`,
    what: hopKinds[kind],
    request: `${method} ${url}`,
    status: status ?? '',
    ms: milliseconds === null ? '' : Math.round(milliseconds),
  }
}
