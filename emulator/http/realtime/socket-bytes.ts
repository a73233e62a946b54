/** What a WebSocket has sent that is not handled yet. Contract 9.1, 10.12. */
import type { Duplex } from 'node:stream'
import { pieceBytes } from '../guards/incoming-bytes.js'
import { closes, endAll, type SocketState } from './socket-state.js'

/** What may come in one message before the socket has said who it is: a token is far shorter. */
const mostUnidentifiedBytes = 64 * 1024
/** How long a socket that gives way may take to say goodbye. */
const farewellMilliseconds = 1_000

/** Bytes that are handled, or wait for it. */
export interface SocketBytes {
  /** @param bytes below 0 for what is handled */
  unhandled(bytes: number): void
}

/**
 * Counts the bytes of a socket beside those of all other connections. Of a message that is not whole nobody else says how much of
 * it is here: it is what came in without what whole messages took.
 */
export function countBytes(state: SocketState, connection: Duplex): SocketBytes {
  const { socket, door, handshake } = state
  let unfinished = 0
  let pieces = 0
  let waiting = 0
  let isOver = false
  const held = door.incoming.open(handshake.address, () => give(closes.tryAgainLater, 'too much on its way'))

  function count(): void {
    if (!isOver) held.hold(Math.max(0, unfinished) + pieceBytes * pieces + waiting)
  }

  function end(): void {
    isOver = true
    held.end()
  }

  function give(code: number, reason: string): void {
    // What else it sends is thrown away.
    connection.removeAllListeners('data')
    connection.resume()
    end()
    endAll(state)
    socket.close(code, reason)
    setTimeout(() => socket.terminate(), farewellMilliseconds).unref()
  }

  function settle({ length }: Buffer): void {
    unfinished -= length + headOf(length)
  }
  socket.on('ping', settle)
  socket.on('pong', settle)
  socket.on('message', (data: Buffer) => {
    settle(data)
    pieces = 0
  })
  // Behind the library's own listener: the messages that end in these bytes have been taken from them already.
  connection.on('data', ({ length }: Buffer) => {
    unfinished = Math.max(0, unfinished + length)
    // The heads of a message's parts are not known: behind the last message there is no more than came with its end.
    if (pieces === 0) unfinished = Math.min(unfinished, length)
    pieces = unfinished === 0 ? 0 : pieces + 1
    const isUnknown = !state.identity && state.unhandledBytes === 0
    if (isUnknown && unfinished > mostUnidentifiedBytes) give(closes.tooLarge, 'too large before "auth"')
    else count()
  })
  socket.on('close', end)
  return {
    unhandled(bytes) {
      waiting += bytes
      count()
    },
  }
}

/** What stands before so many bytes of a client. RFC 6455 5.2. */
function headOf(bytes: number): number {
  return bytes < 126 ? 6 : bytes < 65_536 ? 8 : 14
}
