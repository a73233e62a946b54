/** What every call of a client shares: how it sends, which dialect it speaks, and how it is told of changes. */
import { type AuthState, lifeLeft, openAuthState, type SessionStore } from './auth-state.js'
import { SvcError } from './model/errors.js'
import type { Json } from './model/json.js'
import type { Transport } from './realtime/listener.js'
import type { SocketConstructor } from './realtime/sockets.js'
import { openSender, type Request, type Sender, type SendOptions } from './send.js'
import { readRecord } from './wire/answers.js'
import { type Dialect, formatDialect, readDialect } from './wire/dialect.js'
import { addresses } from './wire/paths.js'
import type { HeaderReader } from './wire/readers.js'

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
  /** Where the login is kept; left out, as long as this client lives. */
  readonly session?: SessionStore
}

/** Reads an answer as a dialect has it. */
export type Read<Value> = (dialect: Dialect, body: Json, header: HeaderReader) => Value

export interface Session extends Sender {
  /** Sends a request and reads its answer. */
  call<Value>(request: Request, read: Read<Value>): Promise<Value>
  readonly options: SessionOptions
  /** The dialect of this client; with `auto`, asked for at the first call. */
  dialect(): Promise<Dialect>
  /** Who asks, for a connection that takes no headers: the signed-in user, else the key. */
  token(): Promise<string>
  readonly auth: AuthState
  /** A new token for the same login. @throws {SvcError} `INVALID_TOKEN` */
  refresh(): Promise<string>
  /** How changes come. Loaded when it is first asked for: most apps never listen. */
  transport(): Promise<Transport>
}

/** The part of its life at which a token is renewed. */
const leastLife = 0.25

/** @throws {SvcError} `INVALID_DIALECT` */
export function openSession(options: SessionOptions): Session {
  const { send, open } = openSender(options)
  const Socket = options.WebSocket ?? globalThis.WebSocket
  if (options.transport === 'ws' && !Socket) throw new TypeError('There is no WebSocket here. Give the client one.')
  let known = options.dialect === 'auto' ? undefined : Promise.resolve(readDialect(options.dialect))
  let transport: Promise<Transport> | undefined
  let refreshing: Promise<string> | undefined
  const auth = openAuthState(options.session)

  function dialect(): Promise<Dialect> {
    known ??= import('./detect.js')
      .then(({ detectDialect }) => detectDialect(send))
      .catch((error) => {
        known = undefined
        throw error
      })
    return known
  }

  /** Headers of a request by whoever is signed in. */
  async function headersOf({ isAnonymous, headers }: Request, token: string | undefined): Promise<Request['headers']> {
    const authorization = token === undefined || isAnonymous ? undefined : `Bearer ${token}`
    return { 'svc-dialect': formatDialect(await dialect()), authorization, ...headers }
  }

  /** One that nears its end is renewed beside whatever it is wanted for. */
  async function tokenNow(): Promise<string | undefined> {
    const token = (await auth.current())?.token
    if (token !== undefined && lifeLeft(token) < leastLife) refresh().catch(() => undefined)
    return token
  }

  /** A login that the service knows no more is none here either. */
  async function dropIfOver(error: unknown, token: string | undefined): Promise<never> {
    if (token !== undefined && error instanceof SvcError && error.code === 'INVALID_TOKEN') await auth.drop(token)
    throw error
  }

  function refresh(): Promise<string> {
    refreshing ??= renew().finally(() => {
      refreshing = undefined
    })
    return refreshing
  }

  async function renew(): Promise<string> {
    const before = await auth.current()
    const headers = { authorization: `Bearer ${before?.token}` }
    const request = { method: 'POST', path: addresses.refresh(), isAnonymous: true, headers } as const
    const token = String((await session.call(request, readRecord)).token)
    // Somebody may have logged out meanwhile.
    if (before && before.token === (await tokenNow())) await auth.put({ ...before, token })
    return token
  }

  const session: Session = {
    options,
    dialect,
    auth,
    refresh,
    token: async () => (await tokenNow()) ?? options.apiKey ?? '',
    async open(request) {
      const token = await tokenNow()
      return open({ ...request, headers: await headersOf(request, token) })
    },
    async send(request) {
      const token = request.isAnonymous ? undefined : await tokenNow()
      const sent = { ...request, headers: await headersOf(request, token) }
      return send(sent).catch((error) => dropIfOver(error, token))
    },
    async call(request, read) {
      const { body, header } = await session.send(request)
      return read(await dialect(), body, header)
    },
    transport() {
      transport ??=
        Socket && options.transport !== 'sse'
          ? import('./realtime/sockets.js').then(({ overSockets }) => overSockets(session, Socket))
          : import('./realtime/streams.js').then(({ overStreams }) => overStreams(session))
      return transport
    },
  }
  return session
}
