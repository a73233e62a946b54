import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import { CliFailure, exitOfStatus, misuse } from '../failure.js'
import { readFields } from '../fields-args.js'
import { prose } from '../prose.js'
import { TargetCommand } from '../target-command.js'

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
const safeMethods = ['GET', 'HEAD', 'OPTIONS']

export default class Api extends TargetCommand {
  static override summary = 'Send any request, with the key of the target.'
  static override description =
    prose(`Prints the body as it came; --include prints status and headers too. Fields become a JSON body:
title=Hello is text, views:=3 is JSON. A failing status is a failing command.`)
  static override examples = [
    '<%= config.bin %> api GET /collections/posts?limit=2',
    '<%= config.bin %> api POST /collections/posts title=Hello -H "svc-dialect: c" --include',
  ]
  static override usage = 'api METHOD PATH [FIELD=text] [FIELD:=json] [-f file]'
  static override strict = false
  static override args = {
    method: Args.string({ required: true, description: 'GET, POST, PATCH, PUT, DELETE …' }),
    path: Args.string({ required: true, description: 'path and query, as the reference has them' }),
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

  async run() {
    const { args, argv, flags } = await this.parse(Api)
    const method = args.method.toUpperCase()
    if (!methods.includes(method)) throw misuse(`"${args.method}" is no method.`, `One of: ${methods.join(', ')}.`)
    const words = argv.slice(2).map(String)
    const body = words.length > 0 || flags.file ? JSON.stringify(readFields(words, flags.file)) : undefined
    if (body !== undefined && safeMethods.includes(method)) throw misuse(`${method} has no body.`)
    const target = this.requireTarget(flags)
    const url = new URL(`${target.url}/${args.path.replace(/^\/+/, '')}`)
    if (!safeMethods.includes(method)) await this.clientForWrite(flags, `${method} ${url.pathname}`)

    const response = await fetch(url, {
      method,
      body,
      headers: {
        ...(target.key === undefined ? {} : { 'x-api-key': target.key }),
        ...(target.dialect === undefined ? {} : { 'svc-dialect': target.dialect }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...Object.fromEntries((flags.header ?? []).map(readHeader)),
      },
      redirect: 'manual',
    })
    const text = await response.text()
    const headers = Object.fromEntries(response.headers)
    const answer = { status: response.status, headers, body: readBody(text) }
    if (this.jsonEnabled()) {
      if (!response.ok) process.exitCode = exitOfStatus(response.status)
      return answer
    }
    if (flags.include) {
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
      this.log([`${response.status} ${response.statusText}`, ...lines, ''].join('\n'))
    }
    if (text !== '') this.log(typeof answer.body === 'string' ? text : JSON.stringify(answer.body, null, 2))
    if (response.status >= 400) {
      const code = response.headers.get('svc-error-code') ?? 'FAILED'
      throw new CliFailure(
        code,
        exitOfStatus(response.status),
        `${method} ${url.pathname} answered ${response.status}.`,
      )
    }
    return answer
  }
}

function readHeader(text: string): [string, string] {
  const at = text.indexOf(':')
  if (at < 1) throw misuse(`"${text}" is no header.`, 'Write it like "svc-dialect: b".')
  return [text.slice(0, at).trim().toLowerCase(), text.slice(at + 1).trim()]
}

function readBody(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
