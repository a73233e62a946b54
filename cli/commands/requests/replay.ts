import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import type { RequestRecord } from '../../../client/protocol/control/requests.js'
import { SvcError } from '../../../client/protocol/model/errors.js'
import { isObject, type JsonObject, parseJson } from '../../../client/protocol/model/json.js'
import { ControlCommand } from '../../base/control-command.js'
import { misuse, reworded } from '../../base/failure.js'
import { fieldsArg, fieldsDescription, readFields } from '../../documents/fields-args.js'
import { readText } from '../../files/read-text.js'
import { differencesText, requestLine } from '../../requests/request-lines.js'
import { whichRequest } from '../../requests/which.js'
import { prose } from '../../terminal/prose.js'
import { shellWord } from '../../terminal/shell-word.js'

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

export default class RequestsReplay extends ControlCommand {
  static override summary = 'Send a request once more, changed or as it was, and show how the answers differ.'
  static override description =
    prose(`It is sent by the same caller, unless a header names another one. ${fieldsDescription[0]?.toUpperCase()}${fieldsDescription.slice(1)}; they
change the body, of documents inside of "data" too. At the emulator of the folder, svc undo takes back the delete of a collection and
batches that delete or update.

Requests of logins and accounts are not repeated, nor those with files, and those whose body was not kept whole need --body.`)
  static override examples = [
    '<%= config.bin %> requests replay 01999999-9999-7999-8999-999999999999',
    '<%= config.bin %> requests replay 01999999-9999-7999-8999-999999999999 title=Hello views:=3',
    '<%= config.bin %> requests replay 01999999-9999-7999-8999-999999999999 --header \'if-match: "3"\'',
    '<%= config.bin %> requests replay 01999999-9999-7999-8999-999999999999 --body body.json --method PUT',
  ]
  static override usage = 'requests replay ID [FIELD=text] [FIELD:=json]'
  static override args = {
    id: Args.string({ required: true, description: 'id of the request; - is the newest that was refused or failed' }),
    field: fieldsArg,
  }
  static override flags = {
    method: Flags.option({ options: methods, description: 'another method' })(),
    path: Flags.string({ description: 'another path, with its query', helpValue: 'path' }),
    header: Flags.string({
      multiple: true,
      multipleNonGreedy: true,
      description: 'a header in place of its own; a name alone takes one away',
      helpValue: 'name: value',
    }),
    body: Flags.string({ description: 'file with another body; - reads stdin', helpValue: 'file' }),
  }

  async run() {
    const { args, argv, flags } = await this.parse(RequestsReplay)
    const control = this.control(flags)
    const id = await whichRequest(control, args.id === '-' ? undefined : args.id)
    const fields = readFields(argv.slice(1).map(String))
    if (flags.body === '-' && process.stdin.isTTY)
      this.note('Type the body of the request, then Ctrl-D on a line of its own.')
    const given = flags.body === undefined ? undefined : await readText(flags.body)
    const body =
      Object.keys(fields).length === 0 ? given : edited(given ?? (await bodyOf(control.requests, id)), fields)
    const { method, path } = flags
    const edits = { method, path, headers: readHeaders(flags.header), body }
    const replay = () =>
      control.requests.replay({ id, ...edits }).catch((error) => {
        const isRefused = error instanceof SvcError && error.code === 'CONFLICT'
        throw isRefused
          ? reworded(error, () => ({ hint: `See the request and its answer: svc requests show ${shellWord(id)}` }))
          : error
      })
    const kept = await control.requests.get({ id })
    const emulator = this.emulator(flags)
    const key = keyIn(edits.headers)
    // Another caller may be of another project than the one who was refused, or was of none: its key tells.
    const isOwn = key !== undefined || kept.project === emulator.projectId
    const own = { emulator: isOwn ? emulator : undefined, key }
    const sent = { by: 'requests replay,', method: method ?? kept.method, path: path ?? kept.path }
    const replayed = await this.sendUndoably(own, sent, flags, replay)

    this.log(requestLine(replayed.before))
    this.log(requestLine(replayed.after))
    const differences = differencesText(replayed.differences)
    if (differences === '') this.note('Both answers are the same.')
    else this.log(`\n${differences}`)
    return replayed
  }
}

interface Records {
  get(which: { id: string }): Promise<RequestRecord>
}

/** @throws {CliFailure} with exit 2 where it is not kept whole */
async function bodyOf(requests: Records, id: string): Promise<string> {
  const { text, isCut, isMasked, leftOut } = (await requests.get({ id })).request.body
  if (leftOut === 'empty') return '{}'
  if (text !== null && !isCut && !isMasked) return text
  throw misuse('The body of the request is not kept whole.', 'Give another one with --body.')
}

function edited(body: string, fields: JsonObject): string {
  const content = parseJson(body)
  if (!isObject(content)) throw misuse('The body of the request is not a JSON object.', 'Give another one with --body.')
  const isWrapped = Object.keys(content).length === 1 && isObject(content.data)
  const whole = isWrapped ? { data: { ...(content.data as JsonObject), ...fields } } : { ...content, ...fields }
  return JSON.stringify(whole)
}

/** The key or token of the caller that headers name. */
function keyIn(headers: Record<string, string | null> | undefined): string | undefined {
  const bearer = /^bearer +(\S+)$/i.exec(headers?.authorization ?? '')?.[1]
  return headers?.['x-api-key'] ?? bearer
}

function readHeaders(lines: readonly string[] | undefined): Record<string, string | null> | undefined {
  if (!lines) return undefined
  const headers = lines.map((line): [string, string | null] => {
    const at = line.indexOf(':')
    const name = (at === -1 ? line : line.slice(0, at)).trim().toLowerCase()
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name))
      throw misuse(`Not a valid header: "${line}".`, 'Write it as "name: value".')
    return [name, at === -1 ? null : line.slice(at + 1).trim()]
  })
  return Object.fromEntries(headers)
}
