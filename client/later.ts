/** Callbacks of an app: they never run in the midst of what calls them, and what they throw ends nothing. */

export function later<Args extends readonly unknown[]>(
  callback: ((...args: Args) => unknown) | undefined,
  ...args: Args
): void {
  if (callback)
    Promise.resolve()
      .then(() => callback(...args))
      .catch(report)
}

/** Reports it as an uncaught error in a page. In Node, an uncaught error would end the process. */
function report(error: unknown): void {
  ;(globalThis.reportError ?? console.error)(error)
}
