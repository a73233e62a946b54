/** What is read far more often than it changes. */
import type { StoredCollection } from '../../client/protocol/model/collection.js'
import type { Project } from '../../client/protocol/model/project.js'
import type { Bus } from '../ports/bus/port.js'
import type { Cache, Caches, Identity, SharedCache, TokenIdentity } from './context.js'

/** How long a value is cached, on the monotonic clock. */
const mostMilliseconds = 1_000
/** A full cache begins anew. */
const mostEntries = 10_000

export function openCaches(bus: Bus): Caches {
  const callers = openCache<Identity>()
  const tokens = openCache<TokenIdentity>()
  const collections = openCache<StoredCollection>()
  const projects = openCache<Project>()
  const origins = openSharedCache<ReadonlySet<string>>()
  // A project keeps its secret, unless a snapshot brings another.
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

/** All who ask while a value is read get that one: it is dear to read, and anyone can ask. */
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
      // What is being read may be what is not valid any more.
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
      // What was read before the cache was invalidated may be what is not valid any more.
      if (value === undefined || invalidations > before) return value
      if (entries.size >= mostEntries) entries.clear()
      entries.set(key, { value, until: performance.now() + mostMilliseconds })
      return value
    },
    invalidate() {
      invalidations++
      entries.clear()
    },
  }
}
