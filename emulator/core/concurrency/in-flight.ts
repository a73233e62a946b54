import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises'

/** Operations in flight, for what has to wait for them before it closes. */
export interface InFlight {
  add<Result>(operation: Promise<Result>): Promise<Result>
  /** Resolves once none is in flight, nor what comes of it at once, as the removal of what it has left; at the latest after this time. */
  settled(mostMilliseconds: number): Promise<void>
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
    async settled(mostMilliseconds) {
      if (operations.size === 0) return
      const over = new AbortController()
      const late = pause(mostMilliseconds, undefined, { signal: over.signal }).catch(() => undefined)
      await Promise.race([allSettled(over.signal), late])
      over.abort()
    },
  }
}
