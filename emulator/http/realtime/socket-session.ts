/** Runs one WebSocket from its first message to its last, handling messages in order. Contract 9.1. */
import type { Duplex } from 'node:stream'
import type { RawData, WebSocket } from 'ws'
import type { HttpContext } from '../http-context.js'
import { countBytes, type SocketBytes } from './socket-bytes.js'
import {
  closes,
  endAll,
  type Handshake,
  newSocketState,
  type SocketProtocol,
  type SocketState,
  sendMessage,
} from './socket-state.js'

const authMilliseconds = 10_000
/** The most bytes waiting to be handled. Beyond that, the socket is not read. */
const maxUnhandledBytes = 256 * 1024
/** The overhead of a message. */
const messageBytes = 256
/** Closes a client after this many invalid messages in a row. */
const maxInvalidMessages = 100

interface Accepted {
  readonly socket: WebSocket
  readonly connection: Duplex
}

export function serveSocket(
  http: HttpContext,
  { socket, connection }: Accepted,
  handshake: Handshake,
  protocol: SocketProtocol,
): void {
  const state = newSocketState(http, socket, handshake, protocol)
  const tooLate = setTimeout(() => {
    if (state.identity) return
    if (protocol.late) sendMessage(state, protocol.late)
    socket.close(closes.policy, 'no auth')
  }, authMilliseconds)
  const bytes = countBytes(state, connection)
  let work = Promise.resolve()
  socket.on('message', (received: Buffer, isBinary) => {
    if (!state.backpressure.isOpen()) return
    const data = withoutRest(received)
    const taken = data.length + messageBytes
    take(state, bytes, taken)
    work = work
      .then(() => handleInTurn(state, bytes, data, isBinary))
      .catch((error) => http.log.failure('socket', error))
      .then(() => take(state, bytes, -taken))
  })
  socket.on('error', () => socket.terminate())
  socket.on('close', (_code, reason) => {
    clearTimeout(tooLate)
    http.backend.connections.closed(state.listed, reason.toString() || undefined)
    // Runs after the message in progress, which may still begin a subscription.
    work = work.then(() => {
      state.unwatch()
      state.releaseSlot()
      endAll(state)
    })
  })
}

/** Copies a small message, because it is a view of a chunk and would keep 64 KB alive while it waits. */
function withoutRest(data: Buffer): Buffer {
  return 2 * data.length < data.buffer.byteLength ? Buffer.from(data) : data
}

/** Counts bytes that wait to be handled, and pauses a client that sends too many. */
function take(state: SocketState, { unhandled }: SocketBytes, bytes: number): void {
  state.unhandledBytes += bytes
  unhandled(bytes)
  if (state.unhandledBytes > maxUnhandledBytes) state.socket.pause()
  else if (bytes < 0) state.socket.resume()
}

/** Waits for a slot among the messages of all connections. Keys take turns, and so do the connections of a key. */
async function handleInTurn(state: SocketState, bytes: SocketBytes, data: RawData, isBinary: boolean): Promise<void> {
  const { backpressure, http, identity, handshake, listed } = state
  // A client that doesn't read its answers has to wait.
  if (!backpressure.canWrite()) await backpressure.drained()
  if (!backpressure.isOpen()) return
  const owner = identity?.caller.key?.id ?? identity?.project.id ?? handshake.address
  const isLate = await http.databaseTurns.take([owner, listed.id])?.then(
    () => false,
    () => true,
  )
  if (isLate) return bytes.refuse(closes.tryAgainLater, 'the database is busy')
  await http.streams.atWork.run([owner, listed.id], () => handle(state, data, isBinary))
  if (state.invalidMessages >= maxInvalidMessages) bytes.refuse(closes.policy, 'too many invalid messages')
}

async function handle(state: SocketState, data: RawData, isBinary: boolean): Promise<void> {
  if (state.backpressure.isOpen()) await state.protocol.handle(state, isBinary ? undefined : String(data))
}
