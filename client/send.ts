/** Sends every HTTP request of the client: headers, timeouts, retries, errors. */

import { sendCounted } from './files/send-counted.js'
import { asError, SvcError } from './protocol/model/errors.js'
import { type Json, parseJson } from './protocol/model/json.js'
import { decodeError } from './protocol/wire/errors/decode.js'
import type { HeaderReader } from './protocol/wire/expected.js'
import { users } from './protocol/wire/paths/encode.js'
import { formatQuery, type GivenParameter } from './protocol/wire/query/format.js'
import { encodeBody } from './protocol/wire/sendable.js'

export interface RetryOptions {
  /** Maximum number of attempts; 1 never retries. Default 3. */
  readonly attempts?: number
  /** Milliseconds before the first retry. Doubles with each retry, with jitter. Default 200. */
  readonly delay?: number
  /** Longest `retry-after` to wait for, in milliseconds. The error is thrown if it is longer. Default 30,000. */
  readonly mostWait?: number
}

export interface Hooks {
  /** Runs before each attempt, retries included, and may change the headers. */
  readonly onRequest?: (request: { method: string; url: string; headers: Headers; attempt: number }) => void
  readonly onResponse?: (response: { method: string; url: string; status: number; milliseconds: number }) => void
}

export interface SendOptions extends Hooks {
  /** URL of the service, for example `http://127.0.0.1:4400`. */
  readonly url: string
  /** Without a key, the service refuses most requests. */
  readonly apiKey?: string
  readonly fetch?: typeof globalThis.fetch
  /** Timeout of one attempt in milliseconds. Default 30,000. File uploads always have one hour. */
  readonly timeout?: number
  readonly retry?: RetryOptions
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export interface Request extends RequestParts {
  readonly method: Method
  readonly path: string
}

/** Optional parts of a request, including the options of calls. */
export interface RequestParts {
  readonly query?: readonly GivenParameter[]
  /** Sent as JSON. */
  readonly body?: object | undefined
  /** A form with files, sent instead of `body` with the upload timeout. */
  readonly form?: FormData | undefined
  /** Indices in issue paths where `data`, or the name of a batch, may wrap the caller's input. */
  readonly wrappers?: readonly number[]
  /** Called with the number of bytes of the form sent so far. */
  readonly onProgress?: ((sentBytes: number) => void) | undefined
  readonly headers?: Readonly<Record<string, string | undefined>>
  /** Makes the request safe to retry: the service runs it once per key. */
  readonly idempotencyKey?: string
  /** Applies only if the document is still at this version. */
  readonly ifMatch?: number | undefined
  /** True if a 429 may have counted the request, so it must not be retried. */
  readonly counts?: boolean
  /** Whether the response contains the written records. Default true. */
  readonly returning?: boolean
  /** User token. Default: the signed-in user's. */
  readonly token?: string | undefined
  readonly signal?: AbortSignal | undefined
}

export interface HttpAnswer {
  readonly body: Json
  readonly header: HeaderReader
  /** Creates the error for a response that is not the service's, or in another dialect. */
  misread(cause?: unknown): SvcError
}

export type SendRequest = (request: Request) => Promise<HttpAnswer>

export interface Sender {
  /** @throws {SvcError} for every response that is not 2xx; `NETWORK` or `TIMEOUT` without a response */
  send: SendRequest
  /** Opens an event stream, without retries. @throws {SvcError} */
  openStream(request: Request): Promise<Response>
}

const longestWaitMilliseconds = 30_000
const longestUploadMilliseconds = 3_600_000
const transientStatuses = [408, 425, 429, 502, 503, 504]
/** Codes of errors without a status. */
const transientCodes = ['NETWORK', 'TIMEOUT', 'RATE_LIMITED', 'UNAVAILABLE']
/** Codes of Node and undici for connections that were never made. Does not match errors of open connections. */
const unsent = /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|CONNECT_TIMEOUT/

export function openSender(options: SendOptions): Sender {
  const {
    apiKey,
    onRequest,
    url: base,
    timeout = 30_000,
    retry: { attempts = 3, delay, mostWait = longestWaitMilliseconds } = {},
  } = options
  const fetch = resolveFetch(options)
  /** Becomes true once a response names its dialect. Services that honor idempotency keys always do. */
  let obeysKeys = false

  /** Builds the arguments of `fetch`. @throws {SvcError} `VALIDATION_ERROR` for values that cannot be sent */
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
    let headers: Record<string, string> | Headers = pickSendable(named)
    if (onRequest) {
      headers = new Headers(headers)
      onRequest({ method, url, headers, attempt })
    }
    return [url, { method, headers, body: form ?? (body && encodeBody(body)) }] as const
  }

  /** Fetches a response and its text within the timeout. */
  async function exchange(url: string, init: ReturnType<typeof prepare>[1], request: Request) {
    const { signal, form, onProgress } = request
    const over = new AbortController()
    const stop = after(form ? longestUploadMilliseconds : timeout, signal, () => over.abort())
    const bounded = { ...init, signal: over.signal }
    try {
      const response = await (onProgress ? sendCounted(fetch, url, bounded, onProgress) : fetch(url, bounded))
      const isOwn = Boolean(response.headers.get('svc-dialect'))
      obeysKeys ||= isOwn
      return [response, isOwn, await response.text()] as const
    } catch (cause) {
      if (signal?.aborted) throw signal.reason ?? cause
      const isLate = over.signal.aborted
      throw markLost(
        isLate ? asError(cause, 'TIMEOUT', `${base} did not respond in time.`) : asFailure(cause, base),
        request,
      )
    } finally {
      stop()
    }
  }

  async function attempt(request: Request, number: number): Promise<HttpAnswer> {
    const { method, signal } = request
    if (signal?.aborted) throw signal.reason ?? new Error('Aborted.')
    const [url, sent] = prepare(request, number)
    // Reads the clock only for the hook, because prerendered pages must not read it.
    const begunAt = options.onResponse && Date.now()
    const [response, isOwn, text] = await exchange(url, sent, request)
    options.onResponse?.({ method, url, status: response.status, milliseconds: Date.now() - Number(begunAt) })
    try {
      return readAnswer(url, response, text, request.wrappers)
    } catch (error) {
      throw isOwn ? error : markLost(error as SvcError, request)
    }
  }

  /** Waits until the request may be sent again. @throws the error if it may not */
  async function waitToRepeat(error: unknown, request: Request, number: number): Promise<void> {
    if (!(error instanceof SvcError) || number >= attempts || !mayRepeat(error, request)) throw error
    const wait = Number(error.retryAfterSeconds) * 1000 || backOff(number, delay)
    if (wait > mostWait) throw error
    const { idempotencyKey, signal } = request
    await pause(wait, signal)
    if (!idempotencyKey || obeysKeys || isUnsent(error, request)) return
    // Before a retry that relies on the key, checks with a read that the service honors keys.
    await send({ method: 'GET', path: users, query: [['limit', '1']], signal }).catch(() => {})
    if (!obeysKeys && !signal?.aborted) throw error
  }

  async function send(request: Request): Promise<HttpAnswer> {
    for (let number = 1; ; number++) {
      try {
        return await attempt(request, number)
      } catch (error) {
        await waitToRepeat(error, request, number)
      }
    }
  }

  return {
    send,
    async openStream(request) {
      const [url, sent] = prepare(request, 1)
      try {
        return await accepted(url, await fetch(url, { ...sent, signal: request.signal }), 'text/event-stream')
      } catch (cause) {
        throw asFailure(cause, base)
      }
    },
  }
}

/** Leaves out headers without a value. @throws {SvcError} `VALIDATION_ERROR` for a value that cannot be sent */
function pickSendable(named: Readonly<Record<string, string | false | undefined>>): Record<string, string> {
  // A plain object, because loading `Headers` in Node takes longer than most requests.
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(named)) {
    if (!value) continue
    // Leaves the value out of the message, because most headers are secrets.
    if (/[^ -~]/.test(value)) throw new SvcError('VALIDATION_ERROR', `"${name}" cannot be sent.`)
    headers[name] = value
  }
  return headers
}

/** Looks up the global `fetch` at each call, because tests and tracing replace it after the client is created. */
export function resolveFetch(options: Pick<SendOptions, 'fetch'>): typeof globalThis.fetch {
  return options.fetch ?? ((url, init) => globalThis.fetch(url, init))
}

/** Returns the response with its body unread. @throws {SvcError} if it is not 2xx or has another content type */
export async function accepted(url: string, response: Response, type = ''): Promise<Response> {
  if (response.ok && (response.headers.get('content-type') ?? type).includes(type)) return response
  throw readAnswer(url, response, await response.text()).misread()
}

/** @throws {SvcError} for a response that is not 2xx */
function readAnswer(
  url: string,
  { ok, status, headers }: Response,
  text: string,
  wrappers?: readonly number[],
): HttpAnswer {
  const header: HeaderReader = (name) => headers.get(name)
  // A page of a proxy stays text, so that no call takes it for an empty body.
  const body = /^(null)?$/.test(text) ? null : (parseJson(text) ?? text)
  // Leaves out the query and text values, because they may hold tokens or personal data.
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

/** Parses an HTTP URL; in a page, it may be relative. @throws {SvcError} `INVALID_OPTION` */
export function requireAddress(given: string): URL {
  try {
    // Refuses a missing URL, which would otherwise resolve to the page itself.
    const url = new URL(given ?? 'about:', globalThis.location?.href)
    if (/^https?:/.test(url.href)) return url
  } catch {}
  throw new SvcError('INVALID_OPTION', `"${given}" is not a valid url.`)
}

/** Tells whether the service never started the request: it was not sent, or got a 429 that counts nothing. */
function isUnsent({ status, cause: thrown }: SvcError, { counts }: Request): boolean {
  // Node puts the code on the cause of the error; other runtimes put it on the error.
  const { code, cause } = Object(thrown)
  return (status === 429 && !counts) || unsent.test(cause?.code ?? code)
}

function mayRepeat(error: SvcError, request: Request): boolean {
  const { method, idempotencyKey, ifMatch } = request
  // Never retries `if-match`: if the first write succeeded, the retry would conflict with it.
  const isSafe = method === 'GET' || Boolean(idempotencyKey) || (method === 'PUT' && ifMatch === undefined)
  return isUnsent(error, request) || (isSafe && isTransient(error))
}

/** Marks a write that may have succeeded although its response was lost or is not the service's. */
function markLost(error: SvcError, request: Request): SvcError {
  const { method, idempotencyKey } = request
  if (method === 'GET' || error.status === 429 || isUnsent(error, request) || !isTransient(error)) return error
  const { code, message, issues, cause, ...extras } = error
  const words = `${message} It may have been ${idempotencyKey ? 'created' : 'carried out'}.`
  return new SvcError(code, words, issues, { ...extras, cause, mayBeDone: true })
}

/** Tells whether a retry may succeed. */
export function isTransient({ status, code }: SvcError): boolean {
  // Proxies return 520 to 529 if they cannot reach the server.
  return status ? transientStatuses.includes(status) || (status >= 520 && status < 530) : transientCodes.includes(code)
}

/** Turns an error of `fetch` into an `SvcError`. */
export function asFailure(cause: unknown, service = 'the service'): SvcError {
  return asError(cause, 'NETWORK', `Could not reach ${service}. Is it running?`)
}

/** Returns the delay in milliseconds, half of it jitter, so that clients do not all reconnect at once. */
export function backOff(number: number, delay = 200): number {
  const whole = Math.min(delay * 2 ** (number - 1), longestWaitMilliseconds)
  return (whole * (1 + Math.random())) / 2
}

/** Resolves after the delay, or when the signal aborts. */
export function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => after(milliseconds, signal, resolve))
}

/**
 * Calls back after the delay, or when the signal aborts. Returns a function that cancels. React Native has neither
 * `AbortSignal.timeout` nor `AbortSignal.any`.
 */
function after(milliseconds: number, signal: AbortSignal | undefined, callback: () => void): () => void {
  const end = () => {
    stop()
    callback()
  }
  // Removes the listener, because many waits may share one signal.
  const stop = () => {
    clearTimeout(timer)
    signal?.removeEventListener('abort', end)
  }
  const timer = setTimeout(end, milliseconds)
  signal?.addEventListener('abort', end)
  if (signal?.aborted) end()
  return stop
}
