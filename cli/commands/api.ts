import { isUtf8 } from 'node:buffer'
import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import { parseJson } from '../../client/protocol/model/json.js'
import { decodeError } from '../../client/protocol/wire/errors/decode.js'
import { asFailure } from '../../client/send.js'
import { CliFailure, describeFailure, exitOfStatus, exits, lookFirst, misuse } from '../base/failure.js'
import type { CommandInput } from '../base/service-command.js'
import { TargetCommand } from '../base/target-command.js'
import { fieldsArg, readFileAndFields } from '../documents/fields-args.js'
import { isSafeMethod } from '../target/guarded-fetch.js'
import { counted } from '../terminal/print.js'
import { prose } from '../terminal/prose.js'
import { jsonText, printableLines } from '../terminal/text-width.js'

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

export default class Api extends TargetCommand {
  static override summary = 'Send an authenticated request to the API.'
  static override description =
    prose(`Prints the body, JSON in lines and all else as it came; --include prints status and headers too. Under --json a body
that is not text is in "bodyBase64". Fields become a JSON body: title=Hello is text, views:=3 is JSON. A failing status is a failing command.

At the emulator of the folder, svc undo takes back the delete of a collection and batches that delete or update.`)
  static override examples = [
    '<%= config.bin %> api GET /collections/posts?limit=2',
    '<%= config.bin %> api POST /collections/posts title=Hello -H "svc-dialect: c" --include',
  ]
  static override usage = 'api METHOD PATH [FIELD=text] [FIELD:=json] [-f file]'
  static override args = {
    method: Args.string({ required: true, description: 'GET, POST, PATCH, PUT, DELETE …' }),
    path: Args.string({ required: true, description: 'path and query, as the reference has them' }),
    field: fieldsArg,
  }
  static override flags = {
    header: Flags.string({
      char: 'H',
      multiple: true,
      multipleNonGreedy: true,
      description: 'a header of the request',
      helpValue: 'name: value',
    }),
    file: Flags.string({ char: 'f', description: 'file with the body as JSON; - reads stdin' }),
    include: Flags.boolean({ char: 'i', description: 'print status and headers before the body' }),
  }

  protected readonly access = ({ args }: CommandInput) =>
    isSafeMethod(String(args.method).toUpperCase()) ? 'read' : 'write'

  async run() {
    const { args, argv, flags } = await this.parse(Api)
    const method = args.method.toUpperCase()
    if (!methods.includes(method)) throw misuse(`Not a valid method: "${args.method}".`, `Use ${methods.join(', ')}.`)
    const words = argv.slice(2).map(String)
    const isBare = words.length === 0 && !flags.file
    const body = isBare ? undefined : JSON.stringify(await readFileAndFields(flags.file, words))
    if (body !== undefined && isSafeMethod(method)) throw misuse(`${method} has no body.`)
    const target = this.requireTarget(flags)
    const url = new URL(`${target.url}/${args.path.replace(/^\/+/, '')}`)
    if (!isSafeMethod(method)) await this.confirmWrite(flags, `${method} ${url.pathname}`)

    const token = (await this.client(flags).auth.session())?.token
    const headers: Record<string, string> = {
      ...(target.key === undefined ? {} : { 'x-api-key': target.key }),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(target.dialect === undefined ? {} : { 'svc-dialect': target.dialect }),
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

  /** A terminal gets no bytes that are not text. */
  private printBody({ bytes, text, isText, value }: Answer): void {
    if (bytes.length === 0) return
    if (isText && typeof value !== 'string') this.log(jsonText(value, 2))
    else if (!process.stdout.isTTY) process.stdout.write(bytes)
    else if (isText) this.logData(text)
    else this.noteAlways(`The body is not text (${counted(bytes.length, 'byte')}). Send it to a file: svc api … > file`)
  }

  /** What the service said of it, where it did: under --json the body is nowhere else. */
  private async refused(
    request: string,
    { status, headers }: Response,
    text: string,
    isOwnKey: boolean,
  ): Promise<CliFailure> {
    const error = decodeError(status, (name) => headers.get(name), parseJson(text), text.slice(0, 100))
    // What is known of the target's key says nothing of a key in --header.
    const { code, hint } = describeFailure(isOwnKey ? await this.explain(error) : error)
    const exit = code === 'UNAUTHORIZED' ? exits.notAuthorised : exitOfStatus(status)
    const message = `${request} answered ${status}: ${error.message}`
    // A proxy answers so for a service that may have received the request.
    const isLost = exit === exits.network && !request.startsWith('GET ') && !headers.has('svc-dialect')
    if (isLost) return new CliFailure('OUTCOME_UNKNOWN', exit, `${message} It may have been carried out.`, lookFirst)
    return new CliFailure(code, exit, message, hint)
  }
}

/** A write that was sent on is not done. */
function redirected(request: string, { status, headers }: Response): CliFailure {
  const message = `${request} answered ${status}: it redirects to ${headers.get('location') ?? 'nowhere'}. Nothing was sent there.`
  const hint = 'If that is the service, give its address: --url or SVC_URL.'
  return new CliFailure('REDIRECTED', exits.network, message, hint)
}

function readHeader(text: string): [string, string] {
  const at = text.indexOf(':')
  if (at < 1) throw misuse(`Not a valid header: "${text}".`, 'Use "svc-dialect: b".')
  return [text.slice(0, at).trim().toLowerCase(), text.slice(at + 1).trim()]
}

interface Answer {
  readonly bytes: Buffer
  readonly text: string
  readonly isText: boolean
  /** Of JSON what it says, else the text. */
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
