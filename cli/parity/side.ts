/** One of the two services that are compared. Sends raw requests, and keeps each exchange for the report. */
import { parseJson } from '../../client/protocol/model/json.js'
import { shellWord } from '../../client/snippets/shell.js'
import { CliFailure } from '../base/failure.js'
import type { Answer } from './answers.js'
import type { Step } from './case.js'
import type { Pace } from './pace.js'

/** Thrown when a write got no clear answer. It is never repeated: the case starts again with new names. */
export class Disturbed extends Error {
  override readonly name = 'Disturbed'
  constructor(
    /** Undefined if there was no answer at all. */
    readonly status: number | undefined,
  ) {
    super('The request was disturbed.')
  }
}

export interface Exchange {
  readonly request: string
  readonly status: number | null
  readonly answer: string
}

export interface SendOptions {
  readonly token?: string | undefined
  /** Receives what was sent and answered, with secrets masked. */
  readonly keep?: Exchange[] | undefined
  /** Accepts 502 to 504 as an answer, after every attempt ended so. */
  readonly acceptsFailure?: boolean
  /** Dialect to ask for, at the emulator only. */
  readonly dialect?: string | undefined
}

export interface Side {
  readonly name: 'here' | 'there'
  readonly url: string
  readonly key: string | undefined
  send(step: Step, options?: SendOptions): Promise<Answer>
}

interface SideOptions {
  readonly name: Side['name']
  readonly url: string
  readonly key: string | undefined
  /** Key of steps as `owner`. */
  readonly ownerKey: string | undefined
  readonly fetch: typeof globalThis.fetch
  readonly pace?: Pace
}

const unavailable = [502, 503, 504]
const timeoutMilliseconds = 15_000
const mostReads = 5
const maxKept = 4_000

export function openSide({ name, url, key, ownerKey, fetch, pace }: SideOptions): Side {
  const keys = {
    key,
    owner: ownerKey,
    user: key,
    token: undefined,
    nobody: undefined,
    stranger: 'svc_public_parity_no_such_key',
  }

  async function ask(step: Step, { token, keep, dialect }: SendOptions): Promise<Answer> {
    await pace?.next()
    const apiKey = keys[step.as ?? 'key']
    const { body, headers: given } = encodeBody(step)
    const headers: Record<string, string> = {
      ...given,
      ...(apiKey === undefined ? {} : { 'x-api-key': apiKey }),
      ...((step.as === 'user' || step.as === 'token') && token !== undefined
        ? { authorization: `Bearer ${token}` }
        : {}),
      ...(dialect === undefined ? {} : { 'svc-dialect': dialect }),
      ...step.headers,
    }
    const request = describeRequest({ step, url, headers })
    const response = await fetch(url + step.path, {
      ...{ method: step.method, headers },
      ...(body === undefined ? {} : { body }),
      // Ctrl-C waits for the answer: the clean-up must not overtake a write that is under way.
      signal: AbortSignal.timeout(timeoutMilliseconds),
    }).catch((cause) => {
      keep?.push({ request, status: null, answer: '' })
      throw cause
    })
    const text = await response.text()
    pace?.worked()
    keep?.push({ request, status: response.status, answer: mask(text).slice(0, maxKept) })
    return { status: response.status, body: parseJson(text), header: (header) => response.headers.get(header) ?? null }
  }

  /** Returns what disturbed the request, unless it was answered. */
  async function tryOnce(step: Step, options: SendOptions): Promise<Answer | Disturbed> {
    let answer: Answer
    try {
      answer = await ask(step, options)
    } catch (cause) {
      if (cause instanceof CliFailure || !isNetwork(cause)) throw cause
      pace?.failed(cause)
      return new Disturbed(undefined)
    }
    if (answer.status === 429 && pace) {
      await pace.refused(answer.header('retry-after'))
      return new Disturbed(429)
    }
    const isLost = unavailable.includes(answer.status) && !options.acceptsFailure && pace !== undefined
    return isLost ? new Disturbed(answer.status) : answer
  }

  return {
    ...{ name, url, key },
    async send(step, options = {}) {
      const attempts = step.method === 'GET' ? mostReads : 1
      for (let attempt = 1; ; attempt++) {
        const tried = await tryOnce(step, options)
        if (!(tried instanceof Disturbed)) return tried
        if (attempt >= attempts) throw tried
      }
    },
  }
}

function isNetwork(cause: unknown): boolean {
  if (!(cause instanceof Error)) return false
  return cause.name === 'TypeError' || cause.name === 'TimeoutError' || 'code' in cause
}

function encodeBody({ body, form, headers = {} }: Step): {
  readonly body?: string | FormData
  readonly headers: Readonly<Record<string, string>>
} {
  if (form) {
    const data = new FormData()
    for (const [name, part] of Object.entries(form)) {
      if (typeof part === 'string') data.append(name, part)
      else data.append(name, new Blob([part.text], { type: 'text/plain' }), part.file)
    }
    return { body: data, headers: {} }
  }
  if (body === undefined) return { headers: {} }
  // A text that comes with a content type is sent as it is, so that a case can send a body that does not parse.
  const isRaw = typeof body === 'string' && headers['content-type'] !== undefined
  return { body: isRaw ? body : JSON.stringify(body), headers: { 'content-type': 'application/json' } }
}

/** Writes a request as a curl command. The key and the token are left to variables. */
function describeRequest({ step, url, headers }: { step: Step; url: string; headers: Record<string, string> }): string {
  const shown = Object.entries(headers).map(([name, value]) => {
    if (name === 'x-api-key') return `-H "x-api-key: $SVC_API_KEY"`
    if (name === 'authorization') return '-H "authorization: Bearer $TOKEN"'
    return `-H ${shellWord(`${name}: ${value}`)}`
  })
  const body = step.body === undefined ? [] : [`-d ${shellWord(mask(JSON.stringify(step.body)))}`]
  const parts = Object.entries(step.form ?? {}).map(
    ([name, part]) => `-F ${shellWord(typeof part === 'string' ? `${name}=${part}` : `${name}=@${part.file}`)}`,
  )
  return ['curl', '-X', step.method, shellWord(mask(url + step.path)), ...shown, ...body, ...parts].join(' ')
}

/** Hides keys, tokens, passwords and mail addresses. */
function mask(text: string): string {
  return text
    .replace(/svc_(secret|public|key)_[\w-]+/g, 'svc_$1_…')
    .replace(/\bey[\w-]{8,}\.[\w-]+\.[\w-]*/g, '…token…')
    .replace(/("(?:password|secret|currentPassword|code)"\s*:\s*")[^"]*/gi, '$1…')
    .replace(/otpauth:[^"]*/g, 'otpauth:…')
    .replace(/[\w.+-]+(@|%40)[\w-]+(\.[\w-]+)+/g, '…$1…')
}
