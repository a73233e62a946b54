/** Aborts at Ctrl-C or SIGTERM instead of ending the process; a second one ends it. */
export function stopSignal(): {
  readonly signal: AbortSignal
  readonly name: () => NodeJS.Signals | undefined
  release(): void
} {
  const controller = new AbortController()
  let name: NodeJS.Signals | undefined
  const onSignal = (signal: NodeJS.Signals) => {
    if (name) process.exit(signal === 'SIGTERM' ? 143 : 130)
    name = signal
    controller.abort()
  }
  process.on('SIGINT', onSignal)
  process.on('SIGTERM', onSignal)
  return {
    signal: controller.signal,
    name: () => name,
    release() {
      process.off('SIGINT', onSignal)
      process.off('SIGTERM', onSignal)
    },
  }
}
