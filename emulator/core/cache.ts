import type { Cache, Known } from './context.js'

export function openKnown(): Known {
  return {
    callers: openCache(),
    collections: openCache(),
    projects: openCache(),
    origins: openCache(),
    tokenSecrets: openCache(),
  }
}

/** Remembers values for a while, on the monotonic clock. Full, it forgets everything and starts again. */
export function openCache<Value>({ milliseconds = 1_000, mostEntries = 10_000 } = {}): Cache<Value> {
  const entries = new Map<string, { value: Value; until: number }>()
  const listeners = new Set<() => void>()
  let clears = 0
  return {
    async of(key, read) {
      const entry = entries.get(key)
      if (entry && entry.until > performance.now()) return entry.value
      const before = clears
      const value = await read()
      // What was read before everything was forgotten may be what had to be forgotten.
      if (value === undefined || clears > before) return value
      if (entries.size >= mostEntries) entries.clear()
      entries.set(key, { value, until: performance.now() + milliseconds })
      return value
    },
    clear() {
      clears++
      entries.clear()
      for (const listener of listeners) listener()
    },
    whenCleared(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
