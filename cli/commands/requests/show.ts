import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import type { Control } from '../../../client/control.js'
import type { RequestRecord } from '../../../client/protocol/control/requests.js'
import { formatClientCode } from '../../../client/snippets/client-code.js'
import { formatCurl } from '../../../client/snippets/curl.js'
import { explainRefusal } from '../../../client/snippets/explain.js'
import { formatHar } from '../../../client/snippets/har.js'
import { ControlCommand } from '../../base/control-command.js'
import { explanationText, requestText } from '../../requests/request-lines.js'
import { whichRefused, whichRequest } from '../../requests/which.js'
import { prose } from '../../terminal/prose.js'
import { jsonText, printableLines } from '../../terminal/text-width.js'

const formats = ['curl', 'client', 'har'] as const

export default class RequestsShow extends ControlCommand {
  static override summary = 'Show a request in full.'
  static override description =
    prose(`Shows caller, route, dialect, timing, headers, bodies up to 64 KB, and SQL statements. Secrets are masked.

--why explains why a request was refused, and which command fixes it. Without an id, it explains the last refused request.`)
  static override examples = [
    '<%= config.bin %> requests show',
    '<%= config.bin %> requests show --why',
    '<%= config.bin %> requests show 01999999-9999-7999-8999-999999999999 --format curl',
    '<%= config.bin %> requests show 01999999-9999-7999-8999-999999999999 --plan',
  ]
  static override args = {
    id: Args.string({ description: 'id from the header x-request-id [default: the newest that failed]' }),
  }
  static override flags = {
    why: Flags.boolean({ description: 'explain why it was refused, and how to fix it', exclusive: ['plan', 'format'] }),
    plan: Flags.boolean({ description: 'show the query plan of each statement', exclusive: ['format'] }),
    format: Flags.option({ options: formats, description: 'print it as a command, as code, or as an HTTP archive' })(),
  }

  protected readonly access = 'read'

  async run() {
    const { args, flags } = await this.parse(RequestsShow)
    const control = this.control(flags)
    const id = await (flags.why ? whichRefused : whichRequest)(control, args.id)
    const request = await control.requests.get({ id })
    if (flags.why) return this.explainWhy(request)
    if (flags.plan) return this.showPlans(control, request)
    if (flags.format) return this.showAs(flags.format, request, this.emulator(flags))

    this.log(requestText(request))
    // Nested, because its own `error` would look like a failure of the command.
    return { request }
  }

  private explainWhy(request: RequestRecord) {
    const { id, method, path, status, code } = request
    const explanation = explainRefusal(request)
    const head = `${method} ${path}  ${[status ?? 'no answer', code ?? ''].join(' ').trim()}`
    this.log(printableLines(head))
    if (explanation) this.log(explanationText(explanation))
    else this.note('The request was not refused.')
    return { id, method, path, status, code, missing: null, mends: [], ...explanation }
  }

  private async showPlans({ requests }: Control, { id, statements }: RequestRecord) {
    const plans = []
    for (const [statement] of statements.entries()) {
      const { text, plan } = await requests.plan({ id, statement }).catch(({ message }: Error) => ({
        ...{ text: statements[statement]?.text ?? '', plan: [message] },
      }))
      plans.push({ text, plan })
      this.log(printableLines([text.trim(), ...plan.map((line) => `  ${line}`), ''].join('\n')))
    }
    if (plans.length === 0) this.note('The request ran no SQL statements.')
    return { id, plans }
  }

  private showAs(format: (typeof formats)[number], request: RequestRecord, { url }: { url: string }) {
    const text =
      format === 'curl'
        ? formatCurl(request, url)
        : format === 'client'
          ? formatClientCode(request, url)
          : jsonText(formatHar([request], url, this.config.version))
    this.logData(text)
    return { id: request.id, format, text }
  }
}
