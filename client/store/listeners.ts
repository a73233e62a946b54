export interface Listeners {
  /** Number of listeners. */
  count(): number
  /** Calls all listeners, one after the other. */
  call(): void
  /** Adds a listener, even if it listens already. Returns a function that removes it. */
  add(listener: () => void): () => void
}

export function openListeners(): Listeners {
  const listeners = new Set<() => void>()
  return {
    count: () => listeners.size,
    call() {
      for (const listener of listeners) listener()
    },
    add(listener) {
      const call = () => listener()
      listeners.add(call)
      return () => {
        listeners.delete(call)
      }
    },
  }
}
