/**
 * Implements the part of `fetch` that commands and the test helper need over `node:http`. Loading the real `fetch` takes
 * longer than most commands, and browser test environments replace it.
 */
import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { isLoopbackUrl } from '../client/protocol/model/loopback.js'

/** Reads the text of a response. */
export type ReadText = (bytes: AsyncIterable<Uint8Array>) => Promise<string>

export interface PlainRequest extends RequestInit {
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array<ArrayBuffer> | null
}

// Avoids `import`, which also loads `fetch` since Node 22. Decision 65.
const { Agent, request } = process.getBuiltinModule('node:http')

/** Closes idle sockets long before the service does, so that requests never use a closing socket. */
const agent = new Agent({ keepAlive: true, timeout: 1_000 })

/** Tells whether this module can send the request: to this machine, without TLS or proxy, and with a text body at most. */
export function isPlain(url: string, init: RequestInit): init is PlainRequest {
  const isText = init.body === undefined || init.body === null || typeof init.body === 'string'
  return isText && url.startsWith('http:') && isLoopbackUrl(url) && !process.env.NODE_USE_ENV_PROXY
}

/**
 * Works like `fetch` without redirects. The response has only what commands use: status, headers, `text()` and `body`.
 *
 * @throws {Error} with the code of the socket error, or the reason of the signal
 */
export function fetchOverHttp(
  url: string,
  { method = 'GET', headers, body, signal }: PlainRequest,
  readText: ReadText = wholeText,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted()
    const length = body ? { 'content-length': Buffer.byteLength(body) } : {}
    // Accepts any type, like `fetch`, but does not decompress.
    const sent = { accept: '*/*', 'accept-encoding': 'identity', ...headers, ...length }
    let answer: IncomingMessage | undefined
    const asking = request(url, { method, headers: sent, agent }, (message) => {
      answer = message
      resolve(asResponse(url, message, readText))
    })
    const abort = () => (answer ?? asking).destroy(signal?.reason)
    signal?.addEventListener('abort', abort, { once: true })
    asking.once('close', () => signal?.removeEventListener('abort', abort))
    // A socket may fail more than once. The promise reports the first error.
    asking.on('error', reject)
    asking.end(body ?? undefined)
  })
}

function asResponse(url: string, message: IncomingMessage, readText: ReadText): Response {
  const { statusCode: status = 0, statusMessage: statusText = '' } = message
  const headers = Object.entries(message.headers).map(([name, value]) => [name, [value].flat().join(', ')] as const)
  const response = {
    url,
    status,
    statusText,
    ok: status >= 200 && status < 300,
    headers: new Map(headers),
    text: () => readText(message),
    get body() {
      return Readable.toWeb(message)
    },
  }
  return response as object as Response
}

export async function wholeText(bytes: AsyncIterable<Uint8Array>): Promise<string> {
  const pieces: Uint8Array[] = []
  for await (const piece of bytes) pieces.push(piece)
  return new TextDecoder().decode(Buffer.concat(pieces))
}
