/**
 * As much of `fetch` as commands and the test helper need, over `node:http`: loading the real one takes longer than most commands, and
 * test environments for pages replace it.
 */
import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { isLoopbackUrl } from '../client/protocol/model/loopback.js'

/** How the text of an answer is read. */
export type ReadText = (bytes: AsyncIterable<Uint8Array>) => Promise<string>

export interface PlainRequest extends RequestInit {
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array<ArrayBuffer> | null
}

// An `import` of it loads `fetch` as well, from Node 22 on. Decision 65.
const { Agent, request } = process.getBuiltinModule('node:http')

/** An idle socket is closed long before the service closes it, so that no request is written to one that is ending. */
const agent = new Agent({ keepAlive: true, timeout: 1_000 })

/** Whether this can be asked for here: on this machine, without TLS, without a proxy, and with no body but a text. */
export function isPlain(url: string, init: RequestInit): init is PlainRequest {
  const isText = init.body === undefined || init.body === null || typeof init.body === 'string'
  return isText && url.startsWith('http:') && isLoopbackUrl(url) && !process.env.NODE_USE_ENV_PROXY
}

/**
 * Asks as `fetch` does, and follows no redirect. Of the answer there is what commands read: status, headers, `text()` and `body`.
 *
 * @throws {Error} with the code of the socket's failure; the signal's reason where that aborts
 */
export function fetchOverHttp(
  url: string,
  { method = 'GET', headers, body, signal }: PlainRequest,
  readText: ReadText = wholeText,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted()
    const length = body ? { 'content-length': Buffer.byteLength(body) } : {}
    // Like `fetch`, this takes any type; unlike it, it decompresses nothing.
    const sent = { accept: '*/*', 'accept-encoding': 'identity', ...headers, ...length }
    let answer: IncomingMessage | undefined
    const asking = request(url, { method, headers: sent, agent }, (message) => {
      answer = message
      resolve(asResponse(url, message, readText))
    })
    const abort = () => (answer ?? asking).destroy(signal?.reason)
    signal?.addEventListener('abort', abort, { once: true })
    asking.once('close', () => signal?.removeEventListener('abort', abort))
    // A socket may fail more than once; only the first failure is reported.
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
