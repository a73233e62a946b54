/** Limits the bytes that a WebSocket has sent but that are not handled yet. Contract 9.1, 10.12. */
import type { Duplex } from 'node:stream'
import { watchMessages } from './message-weight.js'
import { closes, endAll, type SocketState } from './socket-state.js'

/** The largest message before authentication: tokens are far shorter. */
const maxUnidentifiedBytes = 64 * 1024
/** How long an evicted socket has for the closing handshake. */
const farewellMilliseconds = 1_000

/** Bytes being handled or waiting. */
export interface SocketBytes {
  /** @param bytes negative for handled bytes */
  unhandled(bytes: number): void
  /** Closes the socket and stops reading from it. */
  refuse(code: number, reason: string): void
}

/**
 * Counts the bytes of a socket towards the limit for all connections. The library doesn't report the size of an incomplete
 * message.
 */
export function countBytes(state: SocketState, connection: Duplex): SocketBytes {
  const { socket, http, handshake } = state
  const messages = watchMessages()
  let coming = 0
  /** Bytes of the incomplete message. */
  let unfinished = 0
  let waiting = 0
  let isOver = false
  const held = http.memory.receive(handshake.address, () => refuse(closes.tryAgainLater, 'too much on its way'))

  function count(): void {
    if (!isOver) held.hold(coming + waiting)
  }

  /** Doesn't apply while an earlier message waits, because that may be the "auth". */
  function check(): void {
    const isUnknown = !state.identity && state.unhandledBytes === 0
    if (!isOver && isUnknown && unfinished > maxUnidentifiedBytes) refuse(closes.tooLarge, 'too large before "auth"')
    else count()
  }

  function end(): void {
    isOver = true
    held.end()
  }

  function refuse(code: number, reason: string): void {
    // Discards everything else it sends.
    connection.removeAllListeners('data')
    connection.resume()
    end()
    endAll(state)
    socket.close(code, reason)
    setTimeout(() => socket.terminate(), farewellMilliseconds).unref()
  }

  // The library emits the messages in these bytes later, one per turn.
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
