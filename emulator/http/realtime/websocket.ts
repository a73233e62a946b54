/** Handles the handshake of WebSockets, and the state shared by all sockets. Contract 9. */
import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { WebSocket, WebSocketServer } from 'ws'
import { SvcError } from '../../../client/protocol/model/errors.js'
import { writeJson } from '../../../client/protocol/model/json.js'
import type { Dialect } from '../../../client/protocol/wire/axes.js'
import { dialects, parseDialect } from '../../../client/protocol/wire/dialects.js'
import { encodeError } from '../../../client/protocol/wire/records/documents.js'
import { clientAddress } from '../guards/client-address.js'
import { requireKnownOrigin } from '../guards/known-origins.js'
import { requireOneHost } from '../guards/origins.js'
import type { HttpContext } from '../http-context.js'
import { loggedFailure } from '../reply/logged-failure.js'
import { dialectHeader, dialectHeaders, firstReadable, namedDialect } from '../reply/spoken-dialect.js'
import { readParameters } from '../request/read-list.js'
import { openCollectionProtocol } from './collection-socket.js'
import { messageProtocol } from './socket-messages.js'
import { serveSocket } from './socket-session.js'
import type { SocketProtocol } from './socket-state.js'

// An `import` would also load `fetch` from Node 22 on. Decision 65.
const { STATUS_CODES } = process.getBuiltinModule('node:http')

/** The paths for WebSockets. */
export const socketPaths = ['/realtime', '/realtime/collections/:collection'] as const

/** Finds the messages that a path takes. */
function findProtocol(url: string): SocketProtocol | undefined {
  const [path = ''] = url.split('?', 1)
  if (/^\/realtime\/?$/.test(path)) return messageProtocol
  const [, collection] = /^\/realtime\/collections\/([^/]+)\/?$/.exec(path) ?? []
  return collection === undefined ? undefined : openCollectionProtocol(readSegment(collection))
}

/** A segment with invalid percent encoding names no collection. */
function readSegment(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

const maxMessageBytes = 1024 * 1024
/** Each part takes more memory than its bytes until the message is complete. */
const maxMessageParts = 1_024
const pingMilliseconds = 30_000
/** How long a socket has to close when the service stops, or to receive its refusal. */
const farewellMilliseconds = 1_000

/** The close code and reason when the service stops. */
export interface Farewell {
  readonly code: number
  readonly reason: string
}

const goingAway: Farewell = { code: 1001, reason: 'going away' }

export interface Realtime {
  upgrade(req: IncomingMessage, socket: Duplex, head: Buffer): void
  /** Tells all clients that the service is going away. Refuses handshakes from then on. */
  close(): void
}

/** Returns the dialect for the answer to a handshake. Ignores a dialect that is invalid. */
async function findDialect(http: HttpContext, req: IncomingMessage): Promise<Dialect> {
  const base = await namedDialect(http, { req, params: {}, isRefused: false }).catch(() => dialects.a)
  try {
    return parseDialect(spokenDialect(req), base)
  } catch {
    return firstReadable([dialectHeader(req)], base)
  }
}

export function openRealtime(http: HttpContext, farewell = goingAway): Realtime {
  const server = new WebSocketServer({
    ...{ noServer: true, perMessageDeflate: false },
    // Handles one message per turn of the event loop, however many arrive at once.
    allowSynchronousEvents: false,
    ...{ maxPayload: maxMessageBytes, maxFragments: maxMessageParts },
  })
  const waiting = new WeakSet<WebSocket>()
  const spokenIn = new WeakMap<IncomingMessage, Dialect>()
  let isClosed = false
  server.on('headers', (headers, req) => {
    const { 'svc-dialect': text } = dialectHeaders(spokenIn.get(req) ?? dialects.a)
    headers.push(`svc-dialect: ${text}`)
  })
  const pings = setInterval(() => {
    for (const socket of server.clients) {
      // The client has not answered the last ping.
      if (waiting.has(socket)) socket.terminate()
      waiting.add(socket)
      socket.ping()
    }
  }, pingMilliseconds)
  pings.unref()

  /** Takes a slot until the socket authenticates or closes, even if the handshake is refused. */
  function takeSlot(address: string, socket: Duplex): () => void {
    const { unidentified } = http.streams.places
    const destroy = () => void socket.destroy()
    const placed = { address, close: destroy, destroy }
    const releaseSlot = () => unidentified.leave(placed)
    unidentified.enter(placed)
    socket.on('close', releaseSlot)
    return releaseSlot
  }

  async function admit(req: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    requireOneHost(req)
    http.requireHost(req.headers.host)
    const protocol = findProtocol(req.url ?? '')
    if (!protocol) throw new SvcError('NOT_FOUND', `WebSockets are served at ${socketPaths.join(' and ')} only.`)
    await requireKnownOrigin(http, req)
    const spoken = spokenDialect(req)
    parseDialect(spoken, dialects.a)
    spokenIn.set(req, await findDialect(http, req))
    if (socket.destroyed) return
    // Also refuses handshakes that began earlier: a socket opened now would get no close frame and would never be terminated.
    if (isClosed) throw new SvcError('UNAVAILABLE', 'The service is stopping.', [], { retryAfterSeconds: 1 })
    const address = clientAddress(req, http.trustedProxies)
    const releaseSlot = takeSlot(address, socket)
    server.handleUpgrade(req, socket, head, (accepted) => {
      accepted.on('pong', () => waiting.delete(accepted))
      accepted.on('message', () => waiting.delete(accepted))
      const { origin, host } = req.headers
      serveSocket(
        http,
        { socket: accepted, connection: socket },
        { origin, host, address, dialect: spoken, releaseSlot },
        protocol,
      )
    })
  }

  return {
    upgrade(req, socket, head) {
      socket.on('error', () => socket.destroy())
      admit(req, socket, head).catch((error) => refuse(http, { req, socket }, error))
    },
    close() {
      isClosed = true
      clearInterval(pings)
      for (const socket of server.clients) {
        if (socket.readyState === WebSocket.OPEN) socket.close(farewell.code, farewell.reason)
      }
      // Terminates clients that don't answer.
      setTimeout(() => {
        for (const socket of server.clients) socket.terminate()
      }, farewellMilliseconds).unref()
    },
  }
}

/** Reads the dialect of a handshake. Browsers can set it only in the address. */
function spokenDialect(req: IncomingMessage): string | undefined {
  return readParameters(req.url ?? '').find(([name]) => name === 'dialect')?.[1] ?? dialectHeader(req)
}

interface Handshake {
  readonly req: IncomingMessage
  readonly socket: Duplex
}

async function refuse(http: HttpContext, { req, socket }: Handshake, thrown: unknown): Promise<void> {
  const id = randomUUID()
  const error = loggedFailure(http, id, thrown)
  const dialect = await findDialect(http, req)
  const { status, headers, body } = encodeError(dialect, error)
  const text = writeJson(body)
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    'connection: close',
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(text)}`,
    `x-request-id: ${id}`,
    ...Object.entries({ ...headers, ...dialectHeaders(dialect) }).map(([name, value]) => `${name}: ${value}`),
  ]
  // Node no longer manages an upgraded connection, so it would stay open if the client doesn't read or close.
  setTimeout(() => socket.destroy(), farewellMilliseconds).unref()
  socket.end(`${lines.join('\r\n')}\r\n\r\n${text}`, () => socket.destroy())
}
