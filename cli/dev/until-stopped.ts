import { signalEchoes } from '../base/stop-signal.js'
import { signalExitCode } from '../exec/pass-signals.js'

const maxSecondsToStop = 10

export interface Stopping {
  /** Resolves with the first signal: Ctrl-C, SIGTERM or SIGHUP. */
  readonly stopped: Promise<NodeJS.Signals>
  /** Aborts at the same time. */
  readonly signal: AbortSignal
  /** Returns the result of `work`, or rejects with the reason of {@link signal} as soon as a signal comes. */
  unlessStopped<Result>(work: Promise<Result>): Promise<Result>
}

/**
 * Stops the process at the first signal. A second Ctrl-C or SIGTERM, or a stop that takes longer than ten seconds, ends it at
 * once. Data is saved even then.
 */
export function untilStopped(): Stopping {
  const controller = new AbortController()
  const { signal } = controller
  const stopped = new Promise<NodeJS.Signals>((resolve) => {
    onStopSignals((name) => {
      setTimeout(() => process.exit(1), maxSecondsToStop * 1000).unref()
      resolve(name)
      controller.abort()
    })
  })
  return {
    stopped,
    signal,
    unlessStopped: (work) => Promise.race([work, stopped.then(() => Promise.reject(signal.reason))]),
  }
}

/** Calls `stop` at the first signal. A second Ctrl-C or SIGTERM ends the process at once. */
export function onStopSignals(stop: (signal: NodeJS.Signals) => void): void {
  let isStopping = false
  const isEcho = signalEchoes()
  const onSignal = (signal: NodeJS.Signals) => {
    if (isEcho(signal)) return
    if (!isStopping) {
      isStopping = true
      stop(signal)
    } else if (signal !== 'SIGHUP') {
      // Ignores a second SIGHUP, because the system and the shell both send one when a terminal is closed.
      process.exit(signalExitCode(signal))
    }
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal)
}
