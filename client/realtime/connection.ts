/** What both transports do: connect again after a failure that passes, and notice a silence. */

import { asError, type ErrorCode, type SvcError } from '../protocol/model/errors.js'
import { backOff, isTransient, pause } from '../send.js'
import type { TransportClient } from './transport.js'

/** One try of a connection. */
export interface ConnectionAttempt {
  /** Of the signed-in user. */
  readonly token: string | undefined
  /** Aborts when the connection is stopped, or silent for too long. */
  readonly signal: AbortSignal
  /** Something was received: the other end lives. */
  received(): void
  /** It does what it is for: the next try, should one be needed, comes soon. */
  works(): void
}

export interface RealtimeConnection {
  /** Connects, and receives for as long as it goes well. */
  connect(attempt: ConnectionAttempt): Promise<void>
  /** How the service says that a token is good for nothing; left out, `INVALID_TOKEN`. */
  readonly badToken?: ErrorCode
  /** Called at each beat, to ask for an answer at once; where it is left out, the service comments once in a while. */
  beat?(): void
  /** Aborts when it is no longer needed. */
  readonly signal: AbortSignal
  /** It is gone and will be tried again, unless it failed for good. */
  lost(failure?: SvcError): void
}

/** Comes back until it is stopped or fails for good. Each connection is of one token: another asks for another. */
export async function keepConnected(
  client: TransportClient,
  { signal, connect, badToken = 'INVALID_TOKEN', beat, lost }: RealtimeConnection,
): Promise<void> {
  const { auth, options } = client
  const { retry, heartbeat = 11_000 } = options
  const mostSilentBeats = beat ? 1 : 2
  let failures = 0
  while (!signal.aborted) {
    const attempt = new AbortController()
    const abort = () => attempt.abort()
    signal.addEventListener('abort', abort, { signal: attempt.signal })
    let token: string | undefined
    const unsubscribe = auth.onChange((signedIn) => signedIn?.token === token || abort())
    let silentBeats = 0
    const timer = setInterval(() => {
      if (++silentBeats > mostSilentBeats) abort()
      beat?.()
      // Who only listens has the login renewed, too.
      client.token().catch(() => {})
    }, heartbeat)
    try {
      token = await client.token()
      await connect({
        token,
        signal: attempt.signal,
        received() {
          silentBeats = 0
        },
        works() {
          failures = 0
        },
      })
    } catch (error) {
      const failure = asError(error)
      // A login that the service knows no more is none here either.
      if (failure.code === badToken) await auth.amend((known) => known.token === token).catch(() => {})
      // Whoever asks now may be served.
      if (!isTransient(failure) && !attempt.signal.aborted) return lost(failure)
    } finally {
      clearInterval(timer)
      unsubscribe()
      abort()
    }
    lost()
    await pause(backOff(++failures, retry?.delay), signal)
  }
}
