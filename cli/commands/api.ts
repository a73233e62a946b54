import { isUtf8 } from 'node:buffer'
import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import { parseJson } from '../../client/protocol/model/json.js'
import { decodeError } from '../../client/protocol/wire/errors/decode.js'
import { asFailure } from '../../client/send.js'
import { CliFailure, describeFailure, exitForStatus, exits, lookFirst, misuse } from '../base/failure.js'
import type { CommandInput } from '../base/service-command.js'
import { TargetCommand } from '../base/target-command.js'
import { fieldsArg, readFileAndFields } from '../documents/fields-args.js'
import { isSafeMethod } from '../target/guarded-fetch.js'
import type { Target } from '../target/target.js'
import { counted } from '../terminal/print.js'
import { prose } from '../terminal/prose.js'
import { jsonText, printableLines } from '../terminal/text-width.js'

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

export default class Api extends TargetCommand {
  static override summary = 'Send an authenticated request to the API.'
  static override description =
    prose(`Prints the body. Pass --include to print status and headers too. Fields become a JSON body: title=Hello is text,
views:=3 is JSON. The command fails if the service answers with an error status. With --json, a binary body is in "bodyBase64".

On the emulator of this folder, svc undo restores collections that you delete, and documents that a batch deletes or updates.`)
  static override examples = [
    '<%= config.bin %> api GET /collections/posts?limit=2',
    '<%= config.bin %> api POST /collections/posts title=Hello -H "svc-dialect: c" --include',
  ]
  static override usage = 'api METHOD PATH [FIELD=text] [FIELD:=json] [-f file]'
  static override args = {
    method: Args.string({ required: true, description: 'GET, POST, PATCH, PUT, DELETE …' }),
    path: Args.string({ required: true, description: 'path and query, for example /collections/posts?limit=2' }),
    field: fieldsArg,
  }
  static override flags = {
    header: Flags.string({
      char: 'H',
      multiple: true,
      multipleNonGreedy: true,
      description: 'request header',
      helpValue: 'name: value',
    }),
    file: Flags.string({ char: 'f', description: 'file with the JSON body; - reads stdin' }),
    include: Flags.boolean({ char: 'i', description: 'print status and headers before the body' }),
  }

  protected readonly access = ({ args }: CommandInput) =>
    isSafeMethod(String(args.method).toUpperCase()) ? 'read' : 'write'

  async run() {
    const { args, argv, flags } = await this.parse(Api)
    const method = args.method.toUpperCase()
    if (!methods.includes(method)) throw misuse(`Invalid method "${args.method}".`, `Use ${methods.join(', ')}.`)
    const words = argv.slice(2).map(String)
    const isBare = words.length === 0 && !flags.file
    const body = isBare ? undefined : JSON.stringify(await readFileAndFields(flags.file, words))
    if (body !== undefined && isSafeMethod(method))
      throw misuse(`A ${method} request has no body.`, 'Leave out the fields and -f.')
    const target = this.requireTarget(flags)
    const url = new URL(`${target.url}/${args.path.replace(/^\/+/, '')}`)
    if (!isSafeMethod(method)) await this.confirmWrite(flags, `${method} ${url.pathname}`)

    const token = (await this.client(flags).auth.session())?.token
    const headers: Record<string, string> = {
      ...ownHeaders(target, token),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...Object.fromEntries((flags.header ?? []).map(readHeader)),
    }
    const request = () =>
      this.guarded(fetch)(url, { method, body, headers, redirect: 'manual' }).catch((cause) => {
        throw asFailure(cause, target.url)
      })
    const { pathname } = url
    const sent = { by: 'api', method, path: pathname }
    const response = await this.sendUndoably({ ...target, key: headers['x-api-key'] }, sent, flags, request)
    const read = readAnswer(Buffer.from(await response.arrayBuffer()))
    const answered = Object.fromEntries(response.headers)
    if (flags.include) {
      const lines = Object.entries(answered).map(([name, value]) => `${name}: ${value}`)
      this.log(printableLines([`${response.status} ${response.statusText}`, ...lines, ''].join('\n')))
    }
    if (!this.jsonEnabled()) this.printBody(read)
    const isOwnKey = !(flags.header ?? []).some((header) => /^(x-api-key|authorization)\s*:/i.test(header))
    if (response.status >= 400) throw await this.refused(`${method} ${url.pathname}`, response, read.text, isOwnKey)
    if (!isSafeMethod(method) && response.status >= 300) throw redirected(`${method} ${url.pathname}`, response)
    const { bytes, isText, value } = read
    const content = isText ? { body: value } : { body: null, bodyBase64: bytes.toString('base64') }
    return { status: response.status, headers: answered, ...content }
  }

  /** Never writes binary data to a terminal. */
  private printBody({ bytes, text, isText, value }: Answer): void {
    if (bytes.length === 0) return
    if (isText && typeof value !== 'string') this.log(jsonText(value, 2))
    else if (!process.stdout.isTTY) process.stdout.write(bytes)
    else if (isText) this.logData(text)
    else this.noteAlways(`The body is binary (${counted(bytes.length, 'byte')}). Write it to a file: svc api … > file`)
  }

  /** Repeats the service's message, because --json shows the body nowhere else. */
  private async refused(
    request: string,
    { status, headers }: Response,
    text: string,
    isOwnKey: boolean,
  ): Promise<CliFailure> {
    const error = decodeError(status, (name) => headers.get(name), parseJson(text), text.slice(0, 100))
    // Hints about the target's key do not apply to a key in --header.
    const { code, hint } = describeFailure(isOwnKey ? await this.explain(error) : error)
    const exit = code === 'UNAUTHORIZED' ? exits.notAuthorised : exitForStatus(status)
    const message = `${request} answered ${status}: ${error.message}`
    // A proxy may send this status although the service has received the request.
    const isLost = exit === exits.network && !request.startsWith('GET ') && !headers.has('svc-dialect')
    if (isLost)
      return new CliFailure('OUTCOME_UNKNOWN', exit, `${message} The change may or may not have been saved.`, lookFirst)
    return new CliFailure(code, exit, message, hint)
  }
}

/** Fails, because a redirected write was not carried out. */
function redirected(request: string, { status, headers }: Response): CliFailure {
  const message = `${request} answered ${status}: it redirects to ${headers.get('location') ?? 'nowhere'}. Nothing was sent there.`
  const hint = 'If the service is there, set its address with --url or SVC_URL.'
  return new CliFailure('REDIRECTED', exits.network, message, hint)
}

/** Returns the headers that say who asks, and in which dialect. */
function ownHeaders({ key, dialect }: Target, token: string | undefined): Record<string, string> {
  return {
    ...(key === undefined ? {} : { 'x-api-key': key }),
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(dialect === undefined ? {} : { 'svc-dialect': dialect }),
  }
}

function readHeader(text: string): [string, string] {
  const at = text.indexOf(':')
  if (at < 1) throw misuse(`Invalid header "${text}".`, 'Use "name: value", for example "svc-dialect: b".')
  return [text.slice(0, at).trim().toLowerCase(), text.slice(at + 1).trim()]
}

interface Answer {
  readonly bytes: Buffer
  readonly text: string
  readonly isText: boolean
  /** The parsed JSON, else the text. */
  readonly value: unknown
}

function readAnswer(bytes: Buffer): Answer {
  const text = new TextDecoder().decode(bytes)
  return { bytes, text, isText: isUtf8(bytes), value: readValue(text) }
}

function readValue(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
