/** As much of `fetch` as the command line needs, over `node:http`: loading the real one takes longer than most commands. */
import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { formatBytes } from '../../client/protocol/model/figures.js'
import { isLoopbackUrl } from '../../client/protocol/model/loopback.js'
import { CliFailure, exits } from '../base/failure.js'

export interface PlainRequest extends RequestInit {
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | null
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
export function fetchOverHttp(url: string, { method = 'GET', headers, body, signal }: PlainRequest): Promise<Response> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted()
    const length = typeof body === 'string' ? { 'content-length': Buffer.byteLength(body) } : {}
    // Like `fetch`, this takes any type; unlike it, it decompresses nothing.
    const sent = { accept: '*/*', 'accept-encoding': 'identity', ...headers, ...length }
    let answer: IncomingMessage | undefined
    const asking = request(url, { method, headers: sent, agent }, (message) => {
      answer = message
      resolve(asResponse(url, message))
    })
    const abort = () => (answer ?? asking).destroy(signal?.reason)
    signal?.addEventListener('abort', abort, { once: true })
    asking.once('close', () => signal?.removeEventListener('abort', abort))
    // A socket may fail more than once; only the first failure is reported.
    asking.on('error', reject)
    asking.end(body ?? undefined)
  })
}

function asResponse(url: string, message: IncomingMessage): Response {
  const { statusCode: status = 0, statusMessage: statusText = '' } = message
  const headers = Object.entries(message.headers).map(([name, value]) => [name, [value].flat().join(', ')] as const)
  const response = {
    url,
    status,
    statusText,
    ok: status >= 200 && status < 300,
    headers: new Map(headers),
    text: () => textOf(message),
    get body() {
      return Readable.toWeb(message)
    },
  }
  return response as object as Response
}

/** More than any answer of the service, whose answers end at 32 MB. Files and exports are streamed. */
const maxTextBytes = 256 * 1024 * 1024

/** Reads an answer that is held in memory. @throws {CliFailure} if it is larger than `maxBytes`; the rest is not read */
export async function textOf(bytes: AsyncIterable<Uint8Array>, maxBytes = maxTextBytes): Promise<string> {
  const pieces: Uint8Array[] = []
  let length = 0
  for await (const piece of bytes) {
    length += piece.length
    if (length > maxBytes) {
      const message = `The answer is larger than ${formatBytes(maxBytes)}, so it was not read to its end.`
      throw new CliFailure('ANSWER_TOO_LARGE', exits.network, message, 'Check the address: --url or SVC_URL.')
    }
    pieces.push(piece)
  }
  return new TextDecoder().decode(Buffer.concat(pieces))
}
