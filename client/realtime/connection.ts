/** Keeps a realtime connection open for both transports: reconnects after transient failures and detects dead connections. */

import { asError, type ErrorCode, type SvcError } from '../protocol/model/errors.js'
import { backOff, isTransient, pause } from '../send.js'
import type { TransportClient } from './transport.js'

/** One attempt to connect. */
export interface ConnectionAttempt {
  /** Token of the signed-in user. */
  readonly token: string | undefined
  /** Aborts when the connection is stopped, or silent for too long. */
  readonly signal: AbortSignal
  /** Reports that something was received, so the connection is alive. */
  received(): void
  /** Reports that the connection works, which resets the backoff. */
  works(): void
}

export interface RealtimeConnection {
  /** Connects and receives until the connection ends. */
  connect(attempt: ConnectionAttempt): Promise<void>
  /** Code with which the service refuses a token. Default `INVALID_TOKEN`. */
  readonly badToken?: ErrorCode
  /** Sends a ping at each heartbeat. Without it, the service must send keep-alive comments. */
  beat?(): void
  /** Aborts when the connection is no longer needed. */
  readonly signal: AbortSignal
  /** Reports a lost connection. A failure is final; without one, it reconnects. */
  lost(failure?: SvcError): void
}

/** Reconnects until stopped or refused. Each connection uses one token, so a new token opens a new connection. */
export async function keepConnected(
  client: TransportClient,
  { signal, connect, badToken = 'INVALID_TOKEN', beat, lost }: RealtimeConnection,
): Promise<void> {
  const { auth, options } = client
  const { retry, heartbeat = 11_000 } = options
  const maxSilentBeats = beat ? 1 : 2
  let failures = 0
  while (!signal.aborted) {
    const attempt = new AbortController()
    const abort = () => attempt.abort()
    signal.addEventListener('abort', abort, { signal: attempt.signal })
    let token: string | undefined
    const unsubscribe = auth.onChange((signedIn) => signedIn?.token === token || abort())
    let silentBeats = 0
    const timer = setInterval(() => {
      if (++silentBeats > maxSilentBeats) abort()
      beat?.()
      // Refreshes the token even if the app sends no requests.
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
      // Signs out if the service no longer accepts the token.
      if (failure.code === badToken) await auth.amend((known) => known.token === token).catch(() => {})
      // After a sign-in or sign-out, the next attempt may succeed, so it reconnects.
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
