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
  /** Milliseconds of silence after which a realtime connection is asked whether it lives. Default 30,000. */
  readonly heartbeat?: number
}

/** What a transport needs of its client. */
export interface TransportClient {
  readonly options: SendOptions & RealtimeOptions
  /** The dialect of this client; with `auto`, asked for at the first call. */
  dialect(): Promise<NamedDialect>
  /** Who asks, for a connection that takes no headers: the signed-in user, else the key. */
  token(): Promise<string>
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
  readonly live: boolean
  /** The last change it knows of; it goes on behind that. */
  since(): number | undefined
  /** A message about it: that it begins, a change, a gap, its end. @throws {SvcError} what another connection may mend */
  receive(message: JsonObject): void
  /** It has received everything up to that number, if only because nothing concerned it. */
  passed(seq: number): void
  /** The connection is gone and will be tried again. */
  lost(): void
  /** Nothing more will come. */
  ended(error: SvcError): void
}

/** A way to the service. */
export type Transport = (listener: Listener) => void
