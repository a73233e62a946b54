/** The only place that fetches: headers, time-outs, repeats, errors. */

import { sendCounted } from './files/send-counted.js'
import { asError, SvcError } from './protocol/model/errors.js'
import { type Json, parseJson } from './protocol/model/json.js'
import { decodeError } from './protocol/wire/errors/decode.js'
import type { HeaderReader } from './protocol/wire/expected.js'
import { users } from './protocol/wire/paths/encode.js'
import { formatQuery, type GivenParameter } from './protocol/wire/query/format.js'
import { encodeBody } from './protocol/wire/sendable.js'

export interface RetryOptions {
  /** How often a request is sent at most; 1 never repeats. Default 3. */
  readonly attempts?: number
  /** Milliseconds before the first repeat, doubled for each one more, and jittered. Default 200. */
  readonly delay?: number
  /** Milliseconds that a wait may take which the service asks for (`retry-after`); what takes longer is thrown. Default 30,000. */
  readonly mostWait?: number
}

export interface Hooks {
  /** Sees each request before it is sent, repeats included, and may change its headers. */
  readonly onRequest?: (request: { method: string; url: string; headers: Headers; attempt: number }) => void
  readonly onResponse?: (response: { method: string; url: string; status: number; milliseconds: number }) => void
}

export interface SendOptions extends Hooks {
  /** Address of the service, such as `http://127.0.0.1:4400`. */
  readonly url: string
  /** Left out, requests carry no key, and the service refuses most of them. */
  readonly apiKey?: string
  readonly fetch?: typeof globalThis.fetch
  /** Milliseconds that one attempt may take. Default 30,000. A form with files may take an hour, whatever this says. */
  readonly timeout?: number
  readonly retry?: RetryOptions
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export interface Request extends RequestParts {
  readonly method: Method
  readonly path: string
}

/** What a request may have, the options of calls among it. */
export interface RequestParts {
  readonly query?: readonly GivenParameter[]
  /** What is sent as JSON. */
  readonly body?: object | undefined
  /** A form with files in the place of it, which may take as long as it takes. */
  readonly form?: FormData | undefined
  /** The indices in the path of an issue at which `data` or the name of a batch may stand around what was handed over. */
  readonly wrappers?: readonly number[]
  /** Called with how many bytes of a form have been sent. */
  readonly onProgress?: ((sentBytes: number) => void) | undefined
  readonly headers?: Readonly<Record<string, string | undefined>>
  /** Makes it safe to repeat: with the same key, the service does it once. */
  readonly idempotencyKey?: string
  /** Only if the document is still at this version. */
  readonly ifMatch?: number | undefined
  /** Whether a refusal by 429 may have counted it, so that it is not sent again. */
  readonly counts?: boolean
  /** Whether what was written is sent back; left out, it is. */
  readonly returning?: boolean
  /** Who asks; left out, the signed-in user. */
  readonly token?: string | undefined
  readonly signal?: AbortSignal | undefined
}

export interface HttpAnswer {
  readonly body: Json
  readonly header: HeaderReader
  /** What to say of an answer that cannot be read: it is none of the service's, or in another dialect. */
  misread(cause?: unknown): SvcError
}

export type SendRequest = (request: Request) => Promise<HttpAnswer>

export interface Sender {
  /** @throws {SvcError} for every answer that is not 2xx, `NETWORK` or `TIMEOUT` where there is none. */
  send: SendRequest
  /** Asks once, and hands over a stream of events that has only begun. @throws {SvcError} */
  openStream(request: Request): Promise<Response>
}

const longestWaitMilliseconds = 30_000
const longestUploadMilliseconds = 3_600_000
const passingStatuses = [408, 425, 429, 502, 503, 504]
/** Of failures without a status. */
const passingCodes = ['NETWORK', 'TIMEOUT', 'RATE_LIMITED', 'UNAVAILABLE']
/** Why no connection was made, by the codes of Node and of undici. What breaks an open connection is not among them. */
const unsent = /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|CONNECT_TIMEOUT/

export function openSender(options: SendOptions): Sender {
  const {
    apiKey,
    onRequest,
    url: base,
    timeout = 30_000,
    retry: { attempts = 3, delay, mostWait = longestWaitMilliseconds } = {},
  } = options
  const fetch = fetchOf(options)
  /** Whether any answer said its dialect. Every service that obeys idempotency keys says it in every answer. */
  let obeysKeys = false

  /** A request as `fetch` takes it. @throws {SvcError} `VALIDATION_ERROR` for what cannot be sent */
  function prepare(request: Request, attempt: number) {
    const { method, body, form, ifMatch } = request
    const search = formatQuery(request.query)
    const url = base + request.path + (search && `?${search}`)
    const named = {
      'x-api-key': apiKey,
      'content-type': body && 'application/json',
      'idempotency-key': request.idempotencyKey,
      'if-match': ifMatch !== undefined && `"${ifMatch}"`,
      prefer: request.returning === false && 'return=minimal',
      ...request.headers,
    }
    // Node takes longer to load `Headers` than most requests take, and a `fetch` that is handed in may need none.
    let headers: Record<string, string> | Headers = {}
    for (const [name, value] of Object.entries(named)) {
      if (!value) continue
      // Most of them are secrets, which no message may contain.
      if (/[^ -~]/.test(value)) throw new SvcError('VALIDATION_ERROR', `"${name}" cannot be sent.`)
      headers[name] = value
    }
    if (onRequest) {
      headers = new Headers(headers)
      onRequest({ method, url, headers, attempt })
    }
    return { url, sent: { method, headers, body: form ?? (body && encodeBody(body)) } }
  }

  async function attempt(request: Request, number: number): Promise<HttpAnswer> {
    const { method, signal, form, onProgress } = request
    if (signal?.aborted) throw signal.reason ?? new Error('Aborted.')
    const { url, sent } = prepare(request, number)
    // Where nobody asks for the time, no clock is read: a page that a server renders ahead may not read one.
    const begunAt = options.onResponse && Date.now()
    const over = new AbortController()
    const init = { ...sent, signal: over.signal }
    const stop = after(form ? longestUploadMilliseconds : timeout, signal, () => over.abort())
    let response: Response
    let text: string
    let isOwn = false
    try {
      response = await (onProgress ? sendCounted(fetch, url, init, onProgress) : fetch(url, init))
      isOwn = Boolean(response.headers.get('svc-dialect'))
      obeysKeys ||= isOwn
      text = await response.text()
    } catch (cause) {
      if (signal?.aborted) throw signal.reason ?? cause
      const isLate = over.signal.aborted
      throw markLost(
        isLate ? asError(cause, 'TIMEOUT', `${base} did not answer in time.`) : asFailure(cause, base),
        request,
      )
    } finally {
      stop()
    }
    options.onResponse?.({ method, url, status: response.status, milliseconds: Date.now() - Number(begunAt) })
    try {
      return readAnswer(url, response, text, request.wrappers)
    } catch (error) {
      throw isOwn ? error : markLost(error as SvcError, request)
    }
  }

  async function send(request: Request): Promise<HttpAnswer> {
    for (let number = 1; ; number++) {
      try {
        return await attempt(request, number)
      } catch (error) {
        if (!(error instanceof SvcError) || number >= attempts || !mayRepeat(error, request)) throw error
        const wait = Number(error.retryAfterSeconds) * 1000 || backOff(number, delay)
        if (wait > mostWait) throw error
        const { idempotencyKey, signal } = request
        await pause(wait, signal)
        const needsKey = idempotencyKey && !isUnsent(error, request)
        // Where nothing tells that keys are obeyed, asks once, by a request that creates nothing.
        if (needsKey && !obeysKeys)
          await send({ method: 'GET', path: users, query: [['limit', '1']], signal }).catch(() => {})
        if (needsKey && !obeysKeys && !signal?.aborted) throw error
      }
    }
  }

  return {
    send,
    async openStream(request) {
      const { url, sent } = prepare(request, 1)
      try {
        return await accepted(url, await fetch(url, { ...sent, signal: request.signal }), 'text/event-stream')
      } catch (cause) {
        throw asFailure(cause, base)
      }
    },
  }
}

/** Looks up the global `fetch` at each call, because tests and tracing replace it after the client was made. */
export function fetchOf(options: Pick<SendOptions, 'fetch'>): typeof globalThis.fetch {
  return options.fetch ?? ((url, init) => globalThis.fetch(url, init))
}

/** An answer whose body is still to be read. @throws {SvcError} for one that is not 2xx, or of another type */
export async function accepted(url: string, response: Response, type = ''): Promise<Response> {
  if (response.ok && (response.headers.get('content-type') ?? type).includes(type)) return response
  throw readAnswer(url, response, await response.text()).misread()
}

/** @throws {SvcError} for an answer that is not 2xx */
function readAnswer(
  url: string,
  { ok, status, headers }: Response,
  text: string,
  wrappers?: readonly number[],
): HttpAnswer {
  const header: HeaderReader = (name) => headers.get(name)
  const body = parseJson(text)
  // Neither a query nor a text of an answer: either may be a token or an address of a person.
  const form = text
    .slice(0, 200)
    .replace(/("(?:[^"\\]|\\.)*)("\s*:|"|$)/g, (whole, _, end) => (/:/.test(end) ? whole : '"…"'))
  const words = `${url.split('?')[0]} answered ${status}: ${form.slice(0, 100)}`
  if (!ok) throw decodeError(status, header, body, words, wrappers)
  return {
    body,
    header,
    misread(cause) {
      const why = cause instanceof SvcError ? `. ${cause.message}` : ''
      return new SvcError('INVALID_RESPONSE', words + why, [], { status, cause })
    },
  }
}

/** An address that can be asked; in a page, also one relative to it. @throws {SvcError} `INVALID_OPTION` */
export function requireAddress(given: string): URL {
  try {
    // Nothing would be an address relative to the page.
    const url = new URL(given ?? 'about:', globalThis.location?.href)
    if (/^https?:/.test(url.href)) return url
  } catch {}
  throw new SvcError('INVALID_OPTION', `"${given}" is not a valid url.`)
}

/** What was never sent, or refused by a 429 that counts nothing, was not begun and may be repeated; all else may have been carried out. */
function isUnsent({ status, cause: thrown }: SvcError, { counts }: Request): boolean {
  // Node has the reason in the cause of what `fetch` throws, others in that itself.
  const { code, cause } = Object(thrown)
  return (status === 429 && !counts) || unsent.test(cause?.code ?? code)
}

function mayRepeat(error: SvcError, request: Request): boolean {
  const { method, idempotencyKey, ifMatch } = request
  // After a success whose answer was lost, `if-match` would meet its own write.
  const isSafe = method === 'GET' || Boolean(idempotencyKey) || (method === 'PUT' && ifMatch === undefined)
  return isUnsent(error, request) || (isSafe && isPassing(error))
}

/** Says so of a write that may have been carried out: no answer came, or one that is not the service's own. */
function markLost(error: SvcError, request: Request): SvcError {
  const { method, idempotencyKey } = request
  if (method === 'GET' || error.status === 429 || isUnsent(error, request) || !isPassing(error)) return error
  const { code, message, issues, cause, ...extras } = error
  const words = `${message} It may have been ${idempotencyKey ? 'created' : 'carried out'}.`
  return new SvcError(code, words, issues, { ...extras, cause, mayBeDone: true })
}

/** Whether the same may succeed in a moment. */
export function isPassing({ status, code }: SvcError): boolean {
  // Proxies answer 520 to 529 for a server that they do not reach.
  return status ? passingStatuses.includes(status) || (status >= 520 && status < 530) : passingCodes.includes(code)
}

/** What `fetch` threw, as an error of ours: whatever it is, there was no answer. */
export function asFailure(cause: unknown, service = 'the service'): SvcError {
  return asError(cause, 'NETWORK', `Could not reach ${service}. Is it running?`)
}

/** Half of it certain, half of it chance, so that many clients do not come back at once. */
export function backOff(number: number, delay = 200): number {
  const whole = Math.min(delay * 2 ** (number - 1), longestWaitMilliseconds)
  return (whole * (1 + Math.random())) / 2
}

/** Resolves after that time, or as soon as the signal aborts. */
export function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => after(milliseconds, signal, resolve))
}

/**
 * Calls back after that time, or as soon as the signal aborts; the function it returns ends the wait. React Native has neither
 * `AbortSignal.timeout` nor `AbortSignal.any`.
 */
function after(milliseconds: number, signal: AbortSignal | undefined, callback: () => void): () => void {
  const end = () => {
    stop()
    callback()
  }
  // Listens no longer than it waits: many may wait for one signal.
  const stop = () => {
    clearTimeout(timer)
    signal?.removeEventListener('abort', end)
  }
  const timer = setTimeout(end, milliseconds)
  signal?.addEventListener('abort', end)
  if (signal?.aborted) end()
  return stop
}
