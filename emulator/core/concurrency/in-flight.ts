import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises'

/** Tracks operations in flight, for callers that must wait for them before closing. */
export interface InFlight {
  add<Result>(operation: Promise<Result>): Promise<Result>
  /** Resolves once no operation is in flight, including the cleanup that follows one, or after this time at the latest. */
  settled(maxMilliseconds: number): Promise<void>
}

export function openInFlight(): InFlight {
  const operations = new Set<Promise<unknown>>()

  async function allSettled(late: AbortSignal): Promise<void> {
    while (operations.size > 0 && !late.aborted) {
      await Promise.allSettled(operations)
      await turn()
    }
  }

  return {
    add(operation) {
      operations.add(operation)
      const remove = () => void operations.delete(operation)
      operation.then(remove, remove)
      return operation
    },
    async settled(maxMilliseconds) {
      if (operations.size === 0) return
      const over = new AbortController()
      const late = pause(maxMilliseconds, undefined, { signal: over.signal }).catch(() => undefined)
      await Promise.race([allSettled(over.signal), late])
      over.abort()
    },
  }
}
