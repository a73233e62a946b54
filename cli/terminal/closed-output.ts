/** Keeps a service running when its output or terminal is closed. */
export function ignoreClosedOutput(): void {
  for (const stream of [process.stdout, process.stderr]) {
    // The command line's own listeners would end the process.
    stream.removeAllListeners('error')
    stream.on('error', () => undefined)
  }
}
