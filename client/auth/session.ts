/** Shares the sender, the dialect, the login and the realtime transport between all calls of a client. */

import { detectDialect } from '../detect.js'
import { SvcError } from '../protocol/model/errors.js'
import * as addresses from '../protocol/wire/paths/encode.js'
import { recordDecoders } from '../protocol/wire/record/decode.js'
import { decodeToken, type Read } from '../protocol/wire/records/decode.js'
import { type NamedDialect, parseSpoken } from '../protocol/wire/spoken.js'
import { overSockets } from '../realtime/sockets.js'
import { overStreams } from '../realtime/streams.js'
import type { RealtimeOptions, Transport, TransportClient } from '../realtime/transport.js'
import { type Method, openSender, type Request, type RequestParts, requireAddress, type SendOptions } from '../send.js'
import { isOld, openAuthState, type SessionStore } from './auth-state.js'

export interface SessionOptions extends SendOptions, RealtimeOptions {
  readonly dialect?: string
  /** Stores the login. Without a store, the login lives as long as the client. */
  readonly session?: SessionStore
}

export interface Session extends TransportClient {
  /**
   * Sends a request and decodes the response.
   *
   * @param parts a function of the dialect if parts, such as the path, depend on it
   * @throws {SvcError}
   */
  ask<Value>(
    method: Method,
    path: string,
    read: Read<Value>,
    parts?:
      | RequestParts
      | ((spoken: NamedDialect) => RequestParts & { readonly path?: string; readonly method?: Method }),
  ): Promise<Value>
  readonly options: SessionOptions
  /** Gets a new token for the same login. @throws {SvcError} `INVALID_TOKEN` */
  refresh(): Promise<string>
  /** Subscribes to changes. */
  readonly listen: Transport
}

/** Sends a request with the key alone, even while a user is signed in. */
export const noToken = ''

/** @throws {SvcError} `INVALID_OPTION`, `INVALID_DIALECT` */
export function openSession(given: SessionOptions): Session {
  const options = { ...given, url: requireAddress(given.url).href.replace(/\/+$/, '') }
  const { send, openStream } = openSender(options)
  // Looked up for each connection, like `fetch` for each call.
  const socketNow = () => options.WebSocket ?? globalThis.WebSocket
  if (options.transport === 'ws' && !socketNow()) {
    throw new SvcError('INVALID_OPTION', 'WebSocket is not available. Pass one as "WebSocket".')
  }
  const { dialect: said = 'a' } = options
  let known = said === 'auto' ? undefined : Promise.resolve(parseSpoken(said))
  let refreshing: Promise<string> | undefined
  let refreshableAt = 0
  const auth = openAuthState(options.session)
  auth.onChange(() => {
    refreshing = undefined
  })

  function dialect(): Promise<NamedDialect> {
    known ??= detectDialect(send).catch((error) => {
      known = undefined
      throw error
    })
    return known
  }

  /** Adds the dialect and the token: the request's own, or the signed-in user's. */
  async function authorized(request: Request): Promise<Request> {
    const { token = await tokenNow() } = request
    const { text } = await dialect()
    const headers = { 'svc-dialect': text, authorization: token && `Bearer ${token}`, ...request.headers }
    return { ...request, token, headers }
  }

  /**
   * Refreshes an old token in the background. After a failed refresh, waits a minute before the next. Waits too if the
   * new token already looks old, because the clocks differ by more than a token's lifetime.
   */
  async function tokenNow(): Promise<string | undefined> {
    const token = (await auth.current())?.token
    if (token && Date.now() > refreshableAt && isOld(token)) {
      refreshableAt = Date.now() + 60_000
      refresh().then(
        (next) => {
          if (!isOld(next)) refreshableAt = 0
        },
        () => {},
      )
    }
    return token
  }

  function refresh(): Promise<string> {
    refreshing ??= renew().catch((error) => {
      refreshing = undefined
      throw error
    })
    return refreshing
  }

  async function renew(): Promise<string> {
    const before = await auth.current()
    const { token } = await session.ask('POST', addresses.refresh, decodeToken, { token: before?.token ?? '-' })
    await auth.amend((known) => known.token === before?.token, { token })
    return token
  }

  const session: Session = {
    options,
    dialect,
    auth,
    refresh,
    token: tokenNow,
    openStream: async (request) => openStream(await authorized(request)),
    async ask(method, path, read, parts) {
      // Reads the token first: the user may change while the dialect is detected.
      const { token = await tokenNow() } = Object(parts)
      const spoken = await dialect()
      const said = typeof parts === 'function' ? parts(spoken) : parts
      const request = await authorized({ token, method, path, ...said })
      const { body, header, misread } = await send(request).catch(async (error) => {
        // Signs out if the service no longer accepts the token.
        if (Object(error).code === 'INVALID_TOKEN') await auth.amend(({ token }) => token === request.token)
        throw error
      })
      try {
        return read(recordDecoders[spoken.record](body), spoken, header)
      } catch (cause) {
        throw misread(cause)
      }
    },
    listen: (listener) => (options.transport !== 'sse' && socketNow() ? sockets : streams)(listener),
  }
  const sockets = overSockets(session, socketNow)
  const streams = overStreams(session)
  return session
}
