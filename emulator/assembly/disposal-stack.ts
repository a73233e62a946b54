/** Closes opened resources in reverse order, like `AsyncDisposableStack`, which Node 20 lacks. */

export interface Closable {
  close(): void | Promise<void>
}

export interface DisposalStack {
  /** Adds a resource to close, and returns it. */
  use<Opened extends Closable>(opened: Opened): Opened
  /** Adds a step to run on close. */
  defer(step: () => unknown): void
}

/**
 * Opens resources that depend on each other. Closing the result closes all of them, last first. If opening fails
 * half-way, closes those already open and throws the error. If a close fails, closes the rest and throws at the end.
 */
export async function openInOrder<Opened extends object>(
  open: (stack: DisposalStack) => Promise<Opened>,
): Promise<Opened & { close(): Promise<void> }> {
  const steps: (() => unknown)[] = []
  let closing: Promise<void> | undefined
  const close = () => {
    closing ??= closeInReverse(steps)
    return closing
  }
  const defer = (step: () => unknown) => void steps.push(step)
  const use = <Part extends Closable>(part: Part) => {
    defer(() => part.close())
    return part
  }
  try {
    return { ...(await open({ use, defer })), close }
  } catch (error) {
    // Ignores further errors, because they mostly follow from the first.
    await close().catch(() => undefined)
    throw error
  }
}

async function closeInReverse(steps: (() => unknown)[]): Promise<void> {
  const failures: unknown[] = []
  for (let step = steps.pop(); step; step = steps.pop()) {
    try {
      await step()
    } catch (error) {
      failures.push(error)
    }
  }
  if (failures.length === 1) throw failures[0]
  if (failures.length > 1) throw new AggregateError(failures, 'Several resources could not be closed.')
}
