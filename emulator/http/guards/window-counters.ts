/** Requests of one window of time. */
export interface WindowCounter {
  readonly window: number
  requests: number
}

/** Counters by name, each begun anew with its window. Of more than so many at once, the oldest start again. */
export function openWindowCounters(most: number): (name: string, window: number) => WindowCounter {
  const counters = new Map<string, WindowCounter>()
  return (name, window) => {
    const counter = counters.get(name)
    if (counter?.window === window) return counter
    const fresh = { window, requests: 0 }
    counters.delete(name)
    counters.set(name, fresh)
    for (const oldest of counters.keys()) {
      if (counters.size <= most) break
      counters.delete(oldest)
    }
    return fresh
  }
}
