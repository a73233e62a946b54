import { exits } from './failure.js'

const millisecondsOfOne = 500

/**
 * Tells whether a signal has just come already. What a terminal or a service manager sends to all processes of a group, `npx` and
 * `npm run` hand on to their command as well: that is one signal, and no second one of somebody in a hurry.
 */
export function signalEchoes(): (signal: NodeJS.Signals) => boolean {
  const last = new Map<NodeJS.Signals, number>()
  return (signal) => {
    const now = performance.now()
    const isEcho = now - (last.get(signal) ?? Number.NEGATIVE_INFINITY) < millisecondsOfOne
    if (!isEcho) last.set(signal, now)
    return isEcho
  }
}

/** Aborts at Ctrl-C or SIGTERM instead of ending the process; a second one ends it. */
export function stopSignal(): {
  readonly signal: AbortSignal
  /** The exit code of a command that the signal has stopped. */
  exit(): number
  release(): void
} {
  const controller = new AbortController()
  let name: NodeJS.Signals | undefined
  const isEcho = signalEchoes()
  const onSignal = (signal: NodeJS.Signals) => {
    if (isEcho(signal)) return
    if (name) process.exit(exitOf(signal))
    name = signal
    controller.abort()
  }
  process.on('SIGINT', onSignal)
  process.on('SIGTERM', onSignal)
  return {
    signal: controller.signal,
    exit: () => exitOf(name),
    release() {
      // The same signal may come once more, and is not to end the process before it has said how far it came.
      if (name) return
      process.off('SIGINT', onSignal)
      process.off('SIGTERM', onSignal)
    },
  }
}

function exitOf(signal: NodeJS.Signals | undefined): number {
  return signal === 'SIGTERM' ? exits.terminated : exits.interrupted
}
