/** Creates servers that slow or silent peers can't hold up, and closes them. */
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { openAnswerEnds } from './reply/ends.js'
import type { ServerHandlers } from './server.js'

// An `import` would also load `fetch` from Node 22 on. Decision 65.
const { createServer } = process.getBuiltinModule('node:http')

/** How long the parts of a request may take. An idle connection is closed after the same time. */
const limits = {
  // Generous, because a process that was busy may mistake unread headers for missing ones.
  headersTimeout: 60_000,
  // Enough for the largest files. Other bodies have shorter limits where they are read.
  requestTimeout: 3_600_000,
  // How long a client may keep an idle connection. Node announces it: setting the header ourselves would make each stream hold
  // a second copy of its headers.
  keepAliveTimeout: 30_000,
  connectionsCheckingInterval: 2_000,
  // Leaves room for a query slightly over the limit, so that it gets a proper error.
  maxHeaderSize: 32 * 1024,
}

/** How much longer the server keeps an idle connection, so that the client closes it first. A busy client reacts late. */
const graceMilliseconds = 90_000

/** Creates a server that is not listening yet. */
export function openServer({ answer, upgrade, connected }: Omit<ServerHandlers, 'close'>): Server {
  const endWithConnection = openAnswerEnds()
  const server = createServer(limits, (req, res) => {
    endWithConnection(res)
    // The parser goes on with what it has read already.
    if (!req.socket.destroyed) answer(req, res)
  })
  if (connected) server.on('connection', connected)
  server.on('upgrade', upgrade)
  server.on('timeout', closeIdle)
  server.on('clientError', ({ code = '' }: NodeJS.ErrnoException, socket) => {
    // An unreadable request gets a minimal answer.
    const status = statuses[code] ?? '400 Bad Request'
    if (socket.writable) socket.end(`HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`)
    else socket.destroy()
  })
  return server
}

/** By error code of Node's parser. Clients retry a request that was too slow, but not a malformed one. */
const statuses: { readonly [code: string]: string } = {
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
}

/**
 * Closes an idle connection unless a request has just arrived. A process that was busy sees the timeout before the unread data,
 * so it reads first.
 */
function closeIdle(socket: Socket) {
  const { bytesRead, timeout } = socket
  // A request that arrives now cancels this timeout.
  if (timeout !== graceMilliseconds) return void socket.setTimeout(graceMilliseconds)
  setImmediate(() => {
    if (socket.bytesRead === bytesRead) socket.destroy()
  })
}

/** Stops listening, lets requests in progress finish, and destroys the rest. Closes idle connections at once. */
export async function closeServer(server: Server, maxMilliseconds = 2_000): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  const sweep = setInterval(() => server.closeIdleConnections(), 20)
  const cut = setTimeout(() => server.closeAllConnections(), maxMilliseconds)
  await closed
  clearInterval(sweep)
  clearTimeout(cut)
}
