import { exits } from './failure.js'

const echoMilliseconds = 500

/**
 * Recognizes a signal that arrives twice. Terminals and service managers signal all processes of a group, and `npx` and `npm run`
 * pass the signal on too, so the second one does not mean that the user is in a hurry.
 */
export function signalEchoes(): (signal: NodeJS.Signals) => boolean {
  const last = new Map<NodeJS.Signals, number>()
  return (signal) => {
    const now = performance.now()
    const isEcho = now - (last.get(signal) ?? Number.NEGATIVE_INFINITY) < echoMilliseconds
    if (!isEcho) last.set(signal, now)
    return isEcho
  }
}

/** Aborts at Ctrl-C or SIGTERM instead of ending the process. A second one ends it. */
export function stopSignal(): {
  readonly signal: AbortSignal
  /** Returns the exit code for the signal. */
  exit(): number
  release(): void
} {
  const controller = new AbortController()
  let name: NodeJS.Signals | undefined
  const isEcho = signalEchoes()
  const onSignal = (signal: NodeJS.Signals) => {
    if (isEcho(signal)) return
    if (name) process.exit(chooseExit(signal))
    name = signal
    controller.abort()
  }
  process.on('SIGINT', onSignal)
  process.on('SIGTERM', onSignal)
  return {
    signal: controller.signal,
    exit: () => chooseExit(name),
    release() {
      // The signal may arrive twice, and must not end the process before it reports its progress.
      if (name) return
      process.off('SIGINT', onSignal)
      process.off('SIGTERM', onSignal)
    },
  }
}

function chooseExit(signal: NodeJS.Signals | undefined): number {
  return signal === 'SIGTERM' ? exits.terminated : exits.interrupted
}
