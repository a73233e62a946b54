/** What `AsyncDisposableStack` does, which Node 20 lacks: keeps what has been opened, and closes it in reverse order. */

export interface Closable {
  close(): void | Promise<void>
}

export interface DisposalStack {
  /** Keeps what has to be closed, and answers it. */
  use<Opened extends Closable>(opened: Opened): Opened
  /** Keeps a step of closing. */
  defer(step: () => unknown): void
}

/**
 * Opens what stands on each other. What comes back closes all of it, the last first; if opening fails half-way, what is open
 * by then is closed before the failure is thrown. A close that fails keeps nothing else open, and is thrown at the end.
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
    // The first failure is the one to mend; what fails while closing mostly follows from it.
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
  if (failures.length > 1) throw new AggregateError(failures, 'Several things could not be closed.')
}
