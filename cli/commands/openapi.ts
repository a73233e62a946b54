import * as Flags from '@oclif/core/flags'
import { parseJson } from '../../client/protocol/model/json.js'
import { decodeError } from '../../client/protocol/wire/errors/decode.js'
import { asFailure } from '../../client/send.js'
import { CliFailure, exits } from '../base/failure.js'
import { ServiceCommand } from '../base/service-command.js'
import { fileNamed, requirePlace } from '../files/places.js'
import { replaceWhole } from '../files/replace-whole.js'
import { prose } from '../terminal/prose.js'
import { jsonText } from '../terminal/text-width.js'

export default class OpenApi extends ServiceCommand {
  static override summary = 'Print the OpenAPI description of the service.'
  static override description =
    prose(`Uses the dialect of the project, unless you pass --dialect. You can generate clients from it, and import it into Postman,
Bruno or Insomnia. The emulator also serves it at /openapi.json.`)
  static override examples = [
    '<%= config.bin %> openapi -o openapi.json',
    '<%= config.bin %> openapi --dialect c -o openapi.json && npx openapi-typescript openapi.json -o api.d.ts',
  ]
  static override flags = {
    out: Flags.string({ char: 'o', description: 'file to write [default: -, which is stdout]', helpValue: 'file' }),
  }

  protected readonly access = 'read'

  async run() {
    const { flags } = await this.parse(OpenApi)
    const out = fileNamed(flags.out)
    if (out !== undefined) requirePlace(out)
    const { url, key, dialect } = this.requireTarget(flags)
    const address = new URL(`${url}/openapi.json`)
    if (dialect !== undefined) address.searchParams.set('dialect', dialect)
    const headers = new Headers(key === undefined ? {} : { 'x-api-key': key })
    const answer = await this.guarded()(address, { headers }).catch((cause) => {
      throw asFailure(cause, url)
    })
    const text = await answer.text()
    const body = parseJson(text)
    if (!answer.ok) throw decodeError(answer.status, (name) => answer.headers.get(name), body, text.slice(0, 100))
    if (body === null) {
      throw new CliFailure(
        'BAD_ANSWER',
        exits.failed,
        `${address} did not answer with JSON.`,
        'Some services have no OpenAPI description.',
      )
    }
    if (out === undefined) this.logData(jsonText(body, 2))
    else {
      await replaceWhole(out, `${JSON.stringify(body, null, 2)}\n`)
      this.note(`Wrote ${out}.`)
    }
    return body
  }
}
