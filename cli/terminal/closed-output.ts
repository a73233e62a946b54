/** Who reads what a service says may go, and so may its terminal: requests go on, and a stop is in order. */
export function ignoreClosedOutput(): void {
  for (const stream of [process.stdout, process.stderr]) {
    // Those of the command line end the process.
    stream.removeAllListeners('error')
    stream.on('error', () => undefined)
  }
}
