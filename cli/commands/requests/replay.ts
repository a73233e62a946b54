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
  static override summary = 'Replay a request, with or without changes, and compare the responses.'
  static override description =
    prose(`Sends the request as the same caller, unless a header names another one. ${fieldsDescription[0]?.toUpperCase()}${fieldsDescription.slice(1)}; they
change the body. On the emulator of this folder, svc undo restores collections that you delete, and documents that a batch deletes or
updates.

Requests for logins and accounts, and requests with files, cannot be replayed. If the body was not recorded completely, pass --body.`)
  static override examples = [
    '<%= config.bin %> requests replay 01999999-9999-7999-8999-999999999999',
    '<%= config.bin %> requests replay 01999999-9999-7999-8999-999999999999 title=Hello views:=3',
    '<%= config.bin %> requests replay 01999999-9999-7999-8999-999999999999 --header \'if-match: "3"\'',
    '<%= config.bin %> requests replay 01999999-9999-7999-8999-999999999999 --body body.json --method PUT',
  ]
  static override usage = 'requests replay ID [FIELD=text] [FIELD:=json]'
  static override args = {
    id: Args.string({ required: true, description: 'id of the request; - is the newest that failed' }),
    field: fieldsArg,
  }
  static override flags = {
    method: Flags.option({ options: methods, description: 'use another method' })(),
    path: Flags.string({ description: 'use another path and query', helpValue: 'path' }),
    header: Flags.string({
      multiple: true,
      multipleNonGreedy: true,
      description: 'set a header; a name without a value removes it',
      helpValue: 'name: value',
    }),
    body: Flags.string({ description: 'file with a new body; - reads stdin', helpValue: 'file' }),
  }

  protected readonly access = 'write'

  async run() {
    const { args, argv, flags } = await this.parse(RequestsReplay)
    const control = this.control(flags)
    const id = await whichRequest(control, args.id === '-' ? undefined : args.id)
    const fields = readFields(argv.slice(1).map(String))
    if (flags.body === '-' && process.stdin.isTTY)
      this.note('Type the request body, then press Ctrl-D on an empty line.')
    const given = flags.body === undefined ? undefined : await readText(flags.body)
    const body =
      Object.keys(fields).length === 0 ? given : editBody(given ?? (await readBody(control.requests, id)), fields)
    const { method, path } = flags
    const edits = { method, path, headers: readHeaders(flags.header), body }
    const replay = () =>
      control.requests.replay({ id, ...edits }).catch((error) => {
        const isRefused = error instanceof SvcError && error.code === 'CONFLICT'
        throw isRefused
          ? reworded(error, () => ({ hint: `Show the request and its response: svc requests show ${shellWord(id)}` }))
          : error
      })
    const kept = await control.requests.get({ id })
    const emulator = this.emulator(flags)
    const key = keyIn(edits.headers)
    // Another caller may belong to another project, which its key tells.
    const isOwn = key !== undefined || kept.project === emulator.projectId
    const own = { emulator: isOwn ? emulator : undefined, key }
    const sent = { by: 'requests replay,', method: method ?? kept.method, path: path ?? kept.path }
    const replayed = await this.sendUndoably(own, sent, flags, replay)

    this.log(requestLine(replayed.before))
    this.log(requestLine(replayed.after))
    const differences = differencesText(replayed.differences)
    if (differences === '') this.note('Both responses are the same.')
    else this.log(`\n${differences}`)
    return replayed
  }
}

interface Records {
  get(which: { id: string }): Promise<RequestRecord>
}

/** @throws {CliFailure} with exit 2 if the body was not recorded completely */
async function readBody(requests: Records, id: string): Promise<string> {
  const { text, isCut, isMasked, leftOut } = (await requests.get({ id })).request.body
  if (leftOut === 'empty') return '{}'
  if (text !== null && !isCut && !isMasked) return text
  throw misuse('The request body was not recorded completely.', 'Pass a body with --body.')
}

function editBody(body: string, fields: JsonObject): string {
  const content = parseJson(body)
  if (!isObject(content)) throw misuse('The request body is not a JSON object.', 'Pass a body with --body.')
  const isWrapped = Object.keys(content).length === 1 && isObject(content.data)
  const whole = isWrapped ? { data: { ...(content.data as JsonObject), ...fields } } : { ...content, ...fields }
  return JSON.stringify(whole)
}

/** Returns the key or token in the headers. */
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
      throw misuse(`Invalid header "${line}".`, 'Use "name: value", for example "svc-dialect: b".')
    return [name, at === -1 ? null : line.slice(at + 1).trim()]
  })
  return Object.fromEntries(headers)
}
