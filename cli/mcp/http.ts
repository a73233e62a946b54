/** Serves the Model Context Protocol over HTTP on this machine, to callers with the emulator's control token. */
import { timingSafeEqual } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream } from 'node:stream/web'
import {
  createMcpHandler,
  hostHeaderValidationResponse,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  originValidationResponse,
} from '@modelcontextprotocol/server'
import { emulatorOfRunOrHere } from '../base/here.js'
import type { Scope } from './call-tool.js'
import { openServer } from './server.js'

// Importing it would also load `fetch`, from Node 22 on. Decision 65.
const { createServer } = process.getBuiltinModule('node:http')

const host = '127.0.0.1'

/** Listens on the loopback address. */
export async function serveHttp(scope: Scope, port: number): Promise<{ url: string; close(): Promise<void> }> {
  const handler = createMcpHandler(() => openServer(scope))
  const answer = async (request: Request): Promise<Response> =>
    hostHeaderValidationResponse(request, localhostAllowedHostnames()) ??
    originValidationResponse(request, localhostAllowedOrigins()) ??
    unauthorized(request) ??
    handler.fetch(request)
  const server = createServer((request, response) => {
    answerWith(request, response, answer).catch(() => response.destroy())
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  const { port: bound } = server.address() as AddressInfo
  return {
    url: `http://${host}:${bound}/`,
    async close() {
      await handler.close()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Refuses callers without the control token. Reads it for each request, because the emulator may have restarted. */
function unauthorized({ headers }: Request): Response | undefined {
  const given = /^Bearer (.+)$/i.exec(headers.get('authorization') ?? '')?.[1] ?? headers.get('svc-control-token') ?? ''
  const token = emulatorOfRunOrHere(undefined)?.controlToken
  if (token !== undefined && isSame(given, token)) return undefined
  const message = 'Send the control token of .svc/emulator.json: authorization: Bearer <token>'
  const body = { jsonrpc: '2.0', id: null, error: { code: -32_001, message } }
  return Response.json(body, { status: 401, headers: { 'www-authenticate': 'Bearer' } })
}

function isSame(one: string, other: string): boolean {
  const [first, second] = [Buffer.from(one), Buffer.from(other)]
  return first.length === second.length && timingSafeEqual(first, second)
}

async function answerWith(
  request: IncomingMessage,
  response: ServerResponse,
  answer: (request: Request) => Promise<Response>,
): Promise<void> {
  const gone = new AbortController()
  response.once('close', () => gone.abort())
  const { method = 'GET', headers, url = '/' } = request
  const given = Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]))
  const hasBody = method !== 'GET' && method !== 'HEAD'
  const answered = await answer(
    new Request(new URL(url, `http://${host}`), {
      method,
      headers: given as [string, string][],
      signal: gone.signal,
      ...(hasBody ? { body: Readable.toWeb(request) as ReadableStream as BodyInit, duplex: 'half' } : {}),
    }),
  )
  response.writeHead(answered.status, Object.fromEntries(answered.headers))
  if (answered.body) await pipeline(Readable.fromWeb(answered.body as ReadableStream), response)
  else response.end()
}
