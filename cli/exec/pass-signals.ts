import { constants } from 'node:os'

export interface PassedSignals {
  /** Passes all further signals to `receive`. */
  to(receive: (signal: NodeJS.Signals) => void): void
}

/** Catches Ctrl-C, SIGTERM and SIGHUP. They end this process until a receiver is set. */
export function passSignals(): PassedSignals {
  let receive = (signal: NodeJS.Signals): void => process.exit(signalExitCode(signal))
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => receive(signal))
  return {
    to(receiver) {
      receive = receiver
    },
  }
}

/** Returns the exit code that shells use for a process ended by a signal. */
export function signalExitCode(signal: NodeJS.Signals): number {
  return 128 + constants.signals[signal]
}
