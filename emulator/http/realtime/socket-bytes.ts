/** What a WebSocket has sent that is not handled yet. Contract 9.1, 10.12. */
import type { Duplex } from 'node:stream'
import { watchMessages } from './message-weight.js'
import { closes, endAll, type SocketState } from './socket-state.js'

/** What may come in one message before the socket has said who it is: a token is far shorter. */
const mostUnidentifiedBytes = 64 * 1024
/** How long a socket that gives way may take to say goodbye. */
const farewellMilliseconds = 1_000

/** Bytes that are handled, or wait for it. */
export interface SocketBytes {
  /** @param bytes below 0 for what is handled */
  unhandled(bytes: number): void
  /** Closes the socket and reads no more of what it sends. */
  refuse(code: number, reason: string): void
}

/** Counts the bytes of a socket beside those of all other connections. Of a message that is not whole nobody else says how much is here. */
export function countBytes(state: SocketState, connection: Duplex): SocketBytes {
  const { socket, http, handshake } = state
  const messages = watchMessages()
  let coming = 0
  /** Bytes of the message that is not whole. */
  let unfinished = 0
  let waiting = 0
  let isOver = false
  const held = http.incoming.open(handshake.address, () => refuse(closes.tryAgainLater, 'too much on its way'))

  function count(): void {
    if (!isOver) held.hold(coming + waiting)
  }

  /** An earlier message that still waits may be the "auth". */
  function check(): void {
    const isUnknown = !state.identity && state.unhandledBytes === 0
    if (!isOver && isUnknown && unfinished > mostUnidentifiedBytes) refuse(closes.tooLarge, 'too large before "auth"')
    else count()
  }

  function end(): void {
    isOver = true
    held.end()
  }

  function refuse(code: number, reason: string): void {
    // What else it sends is thrown away.
    connection.removeAllListeners('data')
    connection.resume()
    end()
    endAll(state)
    socket.close(code, reason)
    setTimeout(() => socket.terminate(), farewellMilliseconds).unref()
  }

  // The library hands out the messages that end in these bytes later, one in a turn.
  connection.on('data', (chunk: Buffer) => {
    const { bytes, weight } = messages.read(chunk)
    coming = weight
    unfinished = bytes
    check()
  })
  socket.on('close', end)
  return {
    refuse,
    unhandled(bytes) {
      waiting += bytes
      check()
    },
  }
}
