/** Runs callbacks of an app in a microtask, so that their errors cannot interrupt the client. */

export function later<Args extends readonly unknown[]>(
  callback: ((...args: Args) => unknown) | undefined,
  ...args: Args
): void {
  if (callback)
    Promise.resolve()
      .then(() => callback(...args))
      .catch(report)
}

/** Reports an uncaught error in a page. Logs it in Node, where an uncaught error would end the process. */
function report(error: unknown): void {
  ;(globalThis.reportError ?? console.error)(error)
}
