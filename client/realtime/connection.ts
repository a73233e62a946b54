/** What both transports do: connect again after a failure that passes, and notice a silence. */

import type { SvcError } from '../protocol/model/errors.js'
import { asFailure, backOff, isPassing, pause } from '../send.js'
import type { TransportClient } from './transport.js'

/** One try of a connection. */
export interface ConnectionAttempt {
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
  /** Called at each beat, to ask for an answer at once; where it is left out, the service comments once in a while. */
  beat?(): void
  /** Aborts when it is no longer needed. */
  readonly signal: AbortSignal
  /** It is gone and will be tried again. */
  lost(): void
  /** It will not be tried again. */
  ended(failure: SvcError): void
}

/** Comes back until it is stopped or fails for good. */
export async function keepConnected(
  client: TransportClient,
  { signal, connect, beat, lost, ended }: RealtimeConnection,
): Promise<void> {
  const { retry, heartbeat = 30_000 } = client.options
  const mostSilentBeats = beat ? 1 : 2
  let failures = 0
  while (!signal.aborted) {
    const silence = new AbortController()
    let silentBeats = 0
    const timer = setInterval(() => {
      if (++silentBeats > mostSilentBeats) silence.abort()
      beat?.()
      // Who only listens has the login renewed, too.
      client.token().catch(() => undefined)
    }, heartbeat)
    try {
      await connect({
        signal: AbortSignal.any([signal, silence.signal]),
        received() {
          silentBeats = 0
        },
        works() {
          failures = 0
        },
      })
    } catch (error) {
      const failure = asFailure(error)
      if (!isPassing(failure)) return ended(failure)
    } finally {
      clearInterval(timer)
    }
    lost()
    await pause(backOff(++failures, retry?.delay), signal).catch(() => undefined)
  }
}
