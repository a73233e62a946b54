import { exits } from './failure.js'

/** Aborts at Ctrl-C or SIGTERM instead of ending the process; a second one ends it. */
export function stopSignal(): {
  readonly signal: AbortSignal
  /** The exit code of a command that the signal has stopped. */
  exit(): number
  release(): void
} {
  const controller = new AbortController()
  let name: NodeJS.Signals | undefined
  const onSignal = (signal: NodeJS.Signals) => {
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
      process.off('SIGINT', onSignal)
      process.off('SIGTERM', onSignal)
    },
  }
}

function exitOf(signal: NodeJS.Signals | undefined): number {
  return signal === 'SIGTERM' ? exits.terminated : exits.interrupted
}
