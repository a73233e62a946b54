const mostSecondsToStop = 10

/**
 * Resolves with the first signal: Ctrl-C, SIGTERM or SIGHUP. A second Ctrl-C or SIGTERM, or a stop that takes
 * longer than ten seconds, ends the process at once. What was answered is kept even then.
 */
export function untilStopped(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let isStopping = false
    const onSignal = (signal: NodeJS.Signals) => {
      // That a terminal is closed is said by the system and by the shell, and is no haste.
      if (isStopping && signal === 'SIGHUP') return
      if (isStopping) process.exit(signal === 'SIGTERM' ? 143 : 130)
      isStopping = true
      setTimeout(() => process.exit(1), mostSecondsToStop * 1000).unref()
      resolve(signal)
    }
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal)
  })
}
