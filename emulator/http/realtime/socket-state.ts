/** Holds the state of one WebSocket, and writes to it. */
import { WebSocket } from 'ws'
import { plainError } from '../../../client/protocol/model/error-words.js'
import type { JsonObject } from '../../../client/protocol/model/json.js'
import type { Dialect } from '../../../client/protocol/wire/axes.js'
import { dialects, parseDialect } from '../../../client/protocol/wire/dialects.js'
import type { Identity } from '../../core/context.js'
import { asSvcError } from '../../core/failures.js'
import type { OpenConnection } from '../../core/realtime/open-connections.js'
import type { SubscriptionHandle } from '../../core/realtime/subscriptions.js'
import { openTransport, type Transport } from '../../core/realtime/transport.js'
import { describeCaller } from '../guards/identify.js'
import type { HttpContext } from '../http-context.js'
import { type Backpressure, openBackpressure } from './backpressure.js'

/** Close codes of RFC 6455, and one of ours for a connection that the owner closed. */
export const closes = { policy: 1008, tooLarge: 1009, tryAgainLater: 1013, byOwner: 4000 } as const

export interface Handshake {
  readonly origin: string | undefined
  readonly host: string | undefined
  /** The dialect that the client requests. */
  readonly dialect: string | undefined
  readonly address: string
  /** Releases its slot among the unauthenticated connections. */
  releaseSlot(): void
}

/** The messages of a path for WebSockets. */
export interface SocketProtocol {
  /** Handles a message. `text` is undefined if the message is binary. */
  handle(state: SocketState, text: string | undefined): Promise<void>
  /** The message before the close of a socket that did not authenticate in time. */
  readonly late?: JsonObject
  /** Returns the message for an error, with the collection it is about. */
  failure(error: { readonly code: string; readonly message: string }, collection?: string): JsonObject
}

export interface SocketState {
  readonly protocol: SocketProtocol
  readonly http: HttpContext
  readonly socket: WebSocket
  readonly handshake: Handshake
  readonly backpressure: Backpressure
  readonly transport: Transport
  /** By the name used to subscribe. */
  readonly subscriptions: Map<string, SubscriptionHandle>
  /** Undefined until an `auth` succeeds. */
  identity: Identity | undefined
  dialect: Dialect
  /** Stops watching the identity. */
  unwatch(): void
  /** Releases its slot among the connections of this process. */
  releaseSlot(): void
  /** Bytes of messages that wait to be handled. */
  unhandledBytes: number
  /** Messages in a row that were answered with `INVALID_MESSAGE`. */
  invalidMessages: number
  bytesSent: number
  /** Its entry in the list of connections. */
  readonly listed: OpenConnection
}

export function newSocketState(
  http: HttpContext,
  socket: WebSocket,
  handshake: Handshake,
  protocol: SocketProtocol,
): SocketState {
  const backpressure = openBackpressure({
    isOpen: () => socket.readyState === WebSocket.OPEN,
    waitingBytes: () => socket.bufferedAmount,
    // The client may reconnect with `since`.
    giveUp() {
      endAll(state)
      socket.close(closes.tryAgainLater, 'too far behind')
    },
  })
  const state: SocketState = {
    protocol,
    http,
    socket,
    handshake,
    backpressure,
    transport: openTransport(backpressure),
    subscriptions: new Map(),
    identity: undefined,
    dialect: parseDialect(handshake.dialect, dialects.a),
    unwatch: () => undefined,
    releaseSlot: handshake.releaseSlot,
    unhandledBytes: 0,
    invalidMessages: 0,
    bytesSent: 0,
    listed: http.backend.connections.add({
      transport: 'websocket',
      address: handshake.address,
      origin: handshake.origin ?? null,
      identity: () => state.identity,
      who: () => describeCaller(state.identity?.caller),
      subscriptions: () => [...state.subscriptions.values()].map((subscription) => subscription.view()),
      bytesSent: () => state.bytesSent,
      waitingBytes: () => socket.bufferedAmount,
      close: () => socket.close(closes.byOwner, 'closed by the owner'),
    }),
  }
  return state
}

/**
 * Exchanges the slot of an unauthenticated connection for an authenticated one, or for another session's after a change of
 * user.
 *
 * @throws {SvcError} `RATE_LIMITED`, `UNAVAILABLE`; the slot then stays as it was
 */
export function takeSlot(state: SocketState, { caller }: Identity): void {
  const { http, socket, handshake, identity } = state
  const session = caller.user?.sessionId
  if (identity && identity.caller.user?.sessionId === session) return
  const { identified } = http.streams.places
  const placed = {
    ...{ address: handshake.address, session },
    close() {
      endAll(state)
      socket.close(closes.tryAgainLater, 'too many connections')
    },
    destroy: () => socket.terminate(),
  }
  identified.enter(placed)
  state.releaseSlot()
  state.releaseSlot = () => identified.leave(placed)
}

export function sendMessage(state: SocketState, message: JsonObject): void {
  sendBytes(state, Buffer.from(JSON.stringify(message)))
}

export function sendBytes(state: SocketState, message: Buffer): void {
  if (!state.backpressure.isOpen()) return
  state.bytesSent += message.length
  state.socket.send(message, { binary: false })
}

/** Sends an error, with the collection it is about. Logs internal errors. */
export function sendFailure(state: SocketState, error: unknown, collection?: string): void {
  const known = asSvcError(error)
  if (!known) state.http.log.failure('socket', error)
  const { code, message } = known ?? plainError('INTERNAL')
  sendMessage(state, state.protocol.failure({ code, message }, collection))
}

export function endAll({ subscriptions }: SocketState): void {
  for (const subscription of subscriptions.values()) subscription.end()
  subscriptions.clear()
}
