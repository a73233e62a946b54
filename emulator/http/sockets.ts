/** Servers that no slow or silent peer can hold up, and how they are closed. */
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { openAnswerEnds } from './reply/ends.js'
import type { ServerHandlers } from './server.js'

// An `import` of it loads `fetch` as well, from Node 22 on. Decision 65.
const { createServer } = process.getBuiltinModule('node:http')

/** How long the parts of a request may take. A connection that says nothing for as long is closed. */
const limits = {
  // A process that was busy for as long takes what has not been read yet for what never came.
  headersTimeout: 60_000,
  // For the largest of files; other bodies are given less where they are read.
  requestTimeout: 3_600_000,
  // How long a client may keep a connection that it does not use. It is announced by Node: set as a header, it would cost each answer
  // that goes on a second copy of all its headers.
  keepAliveTimeout: 30_000,
  connectionsCheckingInterval: 2_000,
  // Room for a query that is somewhat too long, so that it gets an answer which says so.
  maxHeaderSize: 32 * 1024,
}

/** How much longer it is kept here, so that it is the client that lets an idle connection go: who is busy is late. */
const graceMilliseconds = 90_000

/** A server that is not listening yet. */
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
    // What cannot be read as a request gets the shortest answer that is one.
    const status = statuses[code] ?? '400 Bad Request'
    if (socket.writable) socket.end(`HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`)
    else socket.destroy()
  })
  return server
}

/** Of errors of Node's parser. Clients send a request again that came too slowly, and none that is wrong. */
const statuses: { readonly [code: string]: string } = {
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
}

/**
 * Closes a connection that has been idle for too long, unless a request has come meanwhile: a process that was busy sees
 * the end of the time before it sees what waits to be read. That is read first.
 */
function closeIdle(socket: Socket) {
  const { bytesRead, timeout } = socket
  // A request that comes meanwhile takes this time back.
  if (timeout !== graceMilliseconds) return void socket.setTimeout(graceMilliseconds)
  setImmediate(() => {
    if (socket.bytesRead === bytesRead) socket.destroy()
  })
}

/** Stops listening, lets requests that are at work finish, and cuts what is left. Idle connections go at once. */
export async function closeServer(server: Server, mostMilliseconds = 2_000): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  const sweep = setInterval(() => server.closeIdleConnections(), 20)
  const cut = setTimeout(() => server.closeAllConnections(), mostMilliseconds)
  await closed
  clearInterval(sweep)
  clearTimeout(cut)
}
