/** What every call of a client shares: how it sends, which dialect it speaks, and how it is told of changes. */
import { detectDialect } from './detect.js'
import type { Transport } from './realtime/listener.js'
import { overSockets, type SocketConstructor } from './realtime/sockets.js'
import { overStreams } from './realtime/streams.js'
import { openSender, type Sender, type SendOptions } from './send.js'
import { type Dialect, formatDialect, readDialect } from './wire/dialect.js'

export interface RealtimeOptions {
  /** How changes come: WebSocket (`ws`) where there is one, else Server-Sent Events (`sse`). */
  readonly transport?: 'ws' | 'sse'
  /** Left out, the global one, which Node has from 22 on; the one of the package `ws` fits. */
  readonly WebSocket?: SocketConstructor
  /** Milliseconds of silence after which a realtime connection is asked whether it lives. Default 30,000. */
  readonly heartbeat?: number
}

export interface SessionOptions extends SendOptions, RealtimeOptions {
  readonly dialect?: string
}

export interface Session extends Sender {
  readonly options: SessionOptions
  /** The dialect of this client; with `auto`, asked for at the first call. */
  dialect(): Promise<Dialect>
  /** Who asks, for a connection that takes no headers. */
  token(): Promise<string>
  readonly transport: Transport
}

/** @throws {SvcError} `INVALID_DIALECT` */
export function openSession(options: SessionOptions): Session {
  const { send, open } = openSender(options)
  const Socket = options.WebSocket ?? globalThis.WebSocket
  if (options.transport === 'ws' && !Socket)
    throw new TypeError('There is no WebSocket here. Give one to the client: createClient({ …, WebSocket }).')
  let known = options.dialect === 'auto' ? undefined : Promise.resolve(readDialect(options.dialect))
  let transport: Transport | undefined

  function dialect(): Promise<Dialect> {
    known ??= detectDialect(send).catch((error) => {
      known = undefined
      throw error
    })
    return known
  }

  const session: Session = {
    options,
    dialect,
    open,
    token: async () => options.apiKey ?? '',
    async send(request) {
      const headers = { 'svc-dialect': formatDialect(await dialect()), ...request.headers }
      return send({ ...request, headers })
    },
    transport(listener) {
      transport ??= Socket && options.transport !== 'sse' ? overSockets(session, Socket) : overStreams(session)
      return transport(listener)
    },
  }
  return session
}
