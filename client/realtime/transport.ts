/** Types shared by transports, the client and subscriptions. */
import type { AuthState } from '../auth/auth-state.js'
import type { SvcError } from '../protocol/model/errors.js'
import type { JsonObject } from '../protocol/model/json.js'
import type { NamedDialect } from '../protocol/wire/spoken.js'
import type { Request, SendOptions } from '../send.js'

/** The part of a WebSocket that the client uses. Fits the global one and the package `ws`. */
export interface SocketLike {
  onopen: unknown
  onmessage: unknown
  onclose: unknown
  onerror: unknown
  send(text: string): void
  close(): void
}

export type SocketConstructor = new (url: string) => SocketLike

export interface RealtimeOptions {
  /** WebSocket (`ws`) or Server-Sent Events (`sse`). Default: WebSocket if available. */
  readonly transport?: 'ws' | 'sse'
  /** Default: the global one, which Node has since version 22. You can pass the one of the package `ws`. */
  readonly WebSocket?: SocketConstructor
  /**
   * Milliseconds between heartbeats of a realtime connection. Default 11,000, which detects a dead connection within 33
   * seconds.
   */
  readonly heartbeat?: number
}

/** The part of a client that transports use. */
export interface TransportClient {
  readonly options: SendOptions & RealtimeOptions
  /** Returns the dialect of this client; with `auto`, detects it at the first call. */
  dialect(): Promise<NamedDialect>
  /** Returns the token of the signed-in user, and refreshes an old one in the background. */
  token(): Promise<string | undefined>
  readonly auth: AuthState
  /** Opens a streaming response, without retries. */
  openStream(request: Request): Promise<Response>
}

/** One subscription, as transports see it. */
export interface Listener {
  readonly collection: string
  /** Aborts when the last subscription ends. */
  readonly signal: AbortSignal
  readonly filters: JsonObject
  readonly live: boolean | undefined
  /** Returns the last known change, to resume after it. */
  since(): number | undefined
  /** Handles a message: start, change, gap or end. @throws {SvcError} if a new connection may help */
  receive(message: JsonObject): void
  /**
   * Reports a lost connection. A failure is final; without one, it reconnects.
   *
   * @param seq the subscription has received all its changes up to this number
   */
  lost(failure?: SvcError, seq?: number): void
}

/** Starts a subscription. */
export type Transport = (listener: Listener) => void
