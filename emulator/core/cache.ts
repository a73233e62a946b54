import type { Cache } from './context.js'

/** Remembers values for a while, on the monotonic clock. Full, it forgets everything and starts again. */
export function openCache<Value>({ milliseconds = 1_000, mostEntries = 10_000 } = {}): Cache<Value> {
  const entries = new Map<string, { value: Value; until: number }>()
  const listeners = new Set<() => void>()
  return {
    get(key) {
      const entry = entries.get(key)
      return entry && entry.until > performance.now() ? entry.value : undefined
    },
    set(key, value) {
      if (entries.size >= mostEntries) entries.clear()
      entries.set(key, { value, until: performance.now() + milliseconds })
    },
    clear() {
      entries.clear()
      for (const listener of listeners) listener()
    },
    whenCleared(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
