/** What transports, the client they serve and the subscriptions they carry know of each other. */
import type { AuthState } from '../auth/auth-state.js'
import type { SvcError } from '../protocol/model/errors.js'
import type { JsonObject } from '../protocol/model/json.js'
import type { NamedDialect } from '../protocol/wire/spoken.js'
import type { Request, SendOptions } from '../send.js'

/** As much of a WebSocket as the client uses; the global one and that of `ws` are of this form. */
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
  /** How changes come: WebSocket (`ws`) where there is one, else Server-Sent Events (`sse`). */
  readonly transport?: 'ws' | 'sse'
  /** Left out, the global one, which Node has from 22 on; the one of the package `ws` fits. */
  readonly WebSocket?: SocketConstructor
  /**
   * Milliseconds of silence after which a realtime connection is asked whether it lives. Default 11,000: one that is dead is noticed
   * within 33 seconds.
   */
  readonly heartbeat?: number
}

/** What a transport needs of its client. */
export interface TransportClient {
  readonly options: SendOptions & RealtimeOptions
  /** The dialect of this client; with `auto`, asked for at the first call. */
  dialect(): Promise<NamedDialect>
  /** The token of the signed-in user; one that nears its end is renewed meanwhile. */
  token(): Promise<string | undefined>
  readonly auth: AuthState
  /** Asks once, and hands over an answer that has only begun. */
  openStream(request: Request): Promise<Response>
}

/** One subscription as a transport sees it: what it asks for, and what it receives. */
export interface Listener {
  readonly collection: string
  /** Aborts when the last subscription ends. */
  readonly signal: AbortSignal
  readonly filters: JsonObject
  readonly live: boolean | undefined
  /** The last change it knows of; it goes on behind that. */
  since(): number | undefined
  /** A message about it: that it begins, a change, a gap, its end. @throws {SvcError} what another connection may mend */
  receive(message: JsonObject): void
  /**
   * The connection is gone and will be tried again, unless it failed for good.
   *
   * @param seq it has received everything up to that number, if only because nothing concerned it
   */
  lost(failure?: SvcError, seq?: number): void
}

/** A way to the service. */
export type Transport = (listener: Listener) => void
