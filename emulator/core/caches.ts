/** Caches values that are read far more often than they change. */
import type { StoredCollection } from '../../client/protocol/model/collection.js'
import type { Project } from '../../client/protocol/model/project.js'
import type { Bus } from '../ports/bus/port.js'
import type { Cache, Caches, Identity, SharedCache, TokenIdentity } from './context.js'

/** Time to live, on the monotonic clock. */
const ttlMilliseconds = 1_000
/** Maximum size. A full cache is cleared. */
const maxEntries = 10_000

export function openCaches(bus: Bus): Caches {
  const callers = openCache<Identity>()
  const tokens = openCache<TokenIdentity>()
  const collections = openCache<StoredCollection>()
  const projects = openCache<Project>()
  const origins = openSharedCache<ReadonlySet<string>>()
  // Invalidated with the settings, because only loading a snapshot replaces a project's secret.
  const tokenSecrets = openCache<string>()
  bus.subscribe({
    identity() {
      for (const cache of [callers, tokens]) cache.invalidate()
    },
    settings() {
      for (const cache of [collections, projects, origins, tokenSecrets]) cache.invalidate()
    },
    changes: () => undefined,
  })
  return { callers, tokens, collections, projects, origins, tokenSecrets }
}

/** Shares one read between concurrent callers, because it is expensive and anyone can trigger it. */
function openSharedCache<Value>(): SharedCache<Value> & { invalidate(): void } {
  const cache = openCache<Value>()
  const reading = new Map<string, Promise<Value>>()
  return {
    of(key, read) {
      const begun = reading.get(key)
      if (begun) return begun
      const asked = cache.of(key, read).finally(() => {
        if (reading.get(key) === asked) reading.delete(key)
      })
      reading.set(key, asked)
      return asked
    },
    invalidate() {
      // Drops reads in progress, because they may return the old value.
      reading.clear()
      cache.invalidate()
    },
  }
}

function openCache<Value>(): Cache<Value> & { invalidate(): void } {
  const entries = new Map<string, { value: Value; until: number }>()
  let invalidations = 0
  return {
    async of(key, read) {
      const entry = entries.get(key)
      if (entry && entry.until > performance.now()) return entry.value
      const before = invalidations
      const value = await read()
      // Doesn't cache a value whose read started before an invalidation, because it may be the old one.
      if (value === undefined || invalidations > before) return value
      if (entries.size >= maxEntries) entries.clear()
      entries.set(key, { value, until: performance.now() + ttlMilliseconds })
      return value
    },
    invalidate() {
      invalidations++
      entries.clear()
    },
  }
}
