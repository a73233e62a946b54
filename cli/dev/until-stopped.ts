import { signalEchoes } from '../base/stop-signal.js'
import { exitOfSignal } from '../exec/pass-signals.js'

const mostSecondsToStop = 10

export interface Stopping {
  /** Resolves with the first signal: Ctrl-C, SIGTERM or SIGHUP. */
  readonly stopped: Promise<NodeJS.Signals>
  /** Aborts then. */
  readonly signal: AbortSignal
  /** What comes of it, unless a signal comes first: then it rejects with the reason of {@link signal}, and waits for nothing more. */
  unlessStopped<Result>(work: Promise<Result>): Promise<Result>
}

/**
 * A second Ctrl-C or SIGTERM, or a stop that takes longer than ten seconds, ends the process at once. What was answered is kept even
 * then.
 */
export function untilStopped(): Stopping {
  const controller = new AbortController()
  const { signal } = controller
  const stopped = new Promise<NodeJS.Signals>((resolve) => {
    onStopSignals((name) => {
      setTimeout(() => process.exit(1), mostSecondsToStop * 1000).unref()
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

/** Calls back with the first of them; a second Ctrl-C or SIGTERM ends the process at once. */
export function onStopSignals(stop: (signal: NodeJS.Signals) => void): void {
  let isStopping = false
  const isEcho = signalEchoes()
  const onSignal = (signal: NodeJS.Signals) => {
    if (isEcho(signal)) return
    if (!isStopping) {
      isStopping = true
      stop(signal)
    } else if (signal !== 'SIGHUP') {
      // That a terminal is closed is said by the system and by the shell, and is no haste.
      process.exit(exitOfSignal(signal))
    }
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal)
}
