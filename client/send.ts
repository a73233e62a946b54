/** The only place that fetches: headers, time-outs, repeats, errors. */
import { SvcError } from './model/errors.js'
import { type Json, parseJson } from './model/json.js'
import { sendCounted } from './send-counted.js'
import { formatQuery, type GivenParameter } from './wire/query.js'
import { readError } from './wire/read-error.js'
import type { HeaderReader } from './wire/readers.js'

export interface RetryOptions {
  /** How often a request is sent at most; 1 never repeats. Default 3. */
  readonly attempts?: number
  /** Milliseconds before the first repeat, doubled for each one more, and jittered. Default 200. */
  readonly delay?: number
}

export interface Hooks {
  /** Sees each request before it is sent, repeats included, and may change its headers. */
  readonly onRequest?: (request: { method: string; url: string; headers: Headers; attempt: number }) => void
  readonly onResponse?: (response: { method: string; url: string; status: number; milliseconds: number }) => void
}

export interface SendOptions extends Hooks {
  /** Address of the service, such as `http://127.0.0.1:4400`. */
  readonly url: string
  /** Left out, the service is asked as nobody, which it mostly refuses. */
  readonly apiKey?: string
  readonly fetch?: typeof globalThis.fetch
  /** Milliseconds that one attempt may take. Default 30,000. */
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
  /** JSON, or a form with files, which may take as long as it takes. */
  readonly body?: object | undefined
  /** Hears how many bytes of a form have gone out. */
  readonly onProgress?: ((sentBytes: number) => void) | undefined
  readonly headers?: Readonly<Record<string, string | undefined>>
  /** Makes it safe to repeat: with the same key, the service does it once. */
  readonly idempotencyKey?: string
  /** Only if the document is still at this version. */
  readonly ifMatch?: number | undefined
  /** Whether what was written is sent back; left out, it is. */
  readonly returning?: boolean
  /** Who asks; left out, whoever is signed in. */
  readonly token?: string | undefined
  readonly signal?: AbortSignal | undefined
}

export interface Answer {
  readonly body: Json
  readonly header: HeaderReader
}

export type Send = (request: Request) => Promise<Answer>

export interface Sender {
  /** @throws {SvcError} for every answer that is not 2xx, `NETWORK` or `TIMEOUT` where there is none. */
  send: Send
  /** Asks once, and hands over a 2xx answer that has only begun. @throws what `fetch` throws, too */
  open(request: Request): Promise<Response>
}

const longestWaitMilliseconds = 30_000
const longestUploadMilliseconds = 3_600_000
/** 0 is that of `NETWORK` and `TIMEOUT`. */
const passingStatuses = [0, 429, 502, 503, 504]

export function openSender(options: SendOptions): Sender {
  const { apiKey, timeout = 30_000, retry: { attempts = 3, delay } = {} } = options
  const fetch = options.fetch ?? globalThis.fetch
  const base = options.url.replace(/\/+$/, '')

  function urlOf({ path, query = [] }: Request): string {
    const search = formatQuery(query)
    return base + path + (search && `?${search}`)
  }

  async function ask(request: Request, signal: AbortSignal | undefined, attempt: number): Promise<Response> {
    const { method, body, ifMatch, onProgress } = request
    const url = urlOf(request)
    const isJson = body && !(body instanceof FormData)
    const named = {
      'x-api-key': apiKey,
      'content-type': isJson ? 'application/json' : undefined,
      'idempotency-key': request.idempotencyKey,
      'if-match': ifMatch === undefined ? undefined : `"${ifMatch}"`,
      prefer: request.returning === false ? 'return=minimal' : undefined,
      ...request.headers,
    }
    const headers = new Headers()
    for (const [name, value] of Object.entries(named)) if (value !== undefined) headers.set(name, value)
    options.onRequest?.({ method, url, headers, attempt })
    const sent = { method, headers, body: isJson ? JSON.stringify(body) : body, signal }
    return onProgress ? sendCounted(fetch, url, sent, onProgress) : fetch(url, sent)
  }

  async function attempt(request: Request, number: number): Promise<Answer> {
    const { method, signal } = request
    const begunAt = Date.now()
    const timer = AbortSignal.timeout(request.body instanceof FormData ? longestUploadMilliseconds : timeout)
    try {
      const response = await ask(request, signal ? AbortSignal.any([signal, timer]) : timer, number)
      const text = await response.text()
      options.onResponse?.({ method, url: urlOf(request), status: response.status, milliseconds: Date.now() - begunAt })
      return readAnswer(response, text)
    } catch (cause) {
      if (cause instanceof SvcError) throw cause
      signal?.throwIfAborted()
      if (!timer.aborted) throw asFailure(cause, base)
      throw new SvcError('TIMEOUT', `${base} did not answer within ${timeout / 1000} s.`, [], { cause })
    }
  }

  return {
    async send(request) {
      for (let number = 1; ; number++) {
        try {
          return await attempt(request, number)
        } catch (error) {
          if (!(error instanceof SvcError) || number >= attempts || !mayRepeat(error, request)) throw error
          const wait = error.retryAfterSeconds ? error.retryAfterSeconds * 1000 : backOff(delay, number)
          if (wait > longestWaitMilliseconds) throw error
          await pause(wait, request.signal)
        }
      }
    },
    open: async (request) => accepted(await ask(request, request.signal, 1)),
  }
}

/** An answer whose body is still to be read. @throws {SvcError} for one that is not 2xx */
export async function accepted(response: Response): Promise<Response> {
  if (!response.ok) readAnswer(response, await response.text())
  return response
}

/** @throws {SvcError} for an answer that is not 2xx */
function readAnswer({ ok, status, headers }: Response, text: string): Answer {
  const header: HeaderReader = (name) => headers.get(name)
  const body = parseJson(text)
  if (!ok) throw readError(status, header, body)
  return { body, header }
}

/** A 429 was never begun, so anything may follow it; any other failure may have been carried out. */
function mayRepeat(error: SvcError, { method, idempotencyKey, ifMatch }: Request): boolean {
  // After a success whose answer was lost, `if-match` would meet its own write.
  const isSafe = method === 'GET' || idempotencyKey !== undefined || (method === 'PUT' && ifMatch === undefined)
  return error.status === 429 || (isSafe && isPassing(error))
}

/** Whether the same may succeed in a moment. */
export function isPassing({ status }: SvcError): boolean {
  return passingStatuses.includes(status)
}

/** What was thrown, as an error of ours; whatever else `fetch` throws means that nobody answered. */
export function asFailure(cause: unknown, service = 'the service'): SvcError {
  if (cause instanceof SvcError) return cause
  return new SvcError('NETWORK', `Could not reach ${service}. Is it running?`, [], { cause })
}

/** Half of it certain, half of it chance, so that many clients do not come back at once. */
export function backOff(delay = 200, number: number): number {
  const whole = Math.min(delay * 2 ** (number - 1), longestWaitMilliseconds)
  return whole / 2 + (Math.random() * whole) / 2
}

export function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted()
    const timer = setTimeout(done, milliseconds)
    signal?.addEventListener('abort', abort, { once: true })
    function done() {
      signal?.removeEventListener('abort', abort)
      resolve()
    }
    function abort() {
      clearTimeout(timer)
      reject(signal?.reason)
    }
  })
}
