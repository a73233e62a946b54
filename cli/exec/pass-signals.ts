import { constants } from 'node:os'

export interface PassedSignals {
  /** From here on they are this receiver's. */
  to(receive: (signal: NodeJS.Signals) => void): void
}

/** Receives Ctrl-C, SIGTERM and SIGHUP in place of this process. Until there is a receiver, they end it. */
export function passSignals(): PassedSignals {
  let receive = (signal: NodeJS.Signals): void => process.exit(exitOfSignal(signal))
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => receive(signal))
  return {
    to(receiver) {
      receive = receiver
    },
  }
}

/** The exit code of what a signal ended, as shells have it. */
export function exitOfSignal(signal: NodeJS.Signals): number {
  return 128 + constants.signals[signal]
}
