/** Streams end with the key or session they were opened with, and follow what it may do. */
import { SvcError } from '../../client/model/errors.js'
import type { Backend, Identity } from '../core/context.js'
import { identifyAgain } from '../core/credentials.js'

export interface Watcher {
  /** The rights are others now. */
  changed(identity: Identity): void | Promise<void>
  /** The key or session is good for nothing any more. */
  ended(): void
}

export interface IdentityWatch {
  watch(identity: Identity, watcher: Watcher): () => void
  close(): void
}

interface Watched {
  identity: Identity
  readonly watchers: Set<Watcher>
}

/** How often all are looked at; at once where this process has changed something about anybody. */
const everyMilliseconds = 5_000
const soonMilliseconds = 20

export function openIdentityWatch(backend: Backend): IdentityWatch {
  const all = new Map<string, Watched>()
  let isLooking = false
  let soon: NodeJS.Timeout | undefined
  const timer = setInterval(look, everyMilliseconds)
  timer.unref()
  const forget = backend.known.callers.whenCleared(() => {
    if (all.size === 0) return
    soon ??= setTimeout(look, soonMilliseconds)
  })

  /** One after the other: there may be thousands. */
  async function look(): Promise<void> {
    if (isLooking) return
    isLooking = true
    soon = undefined
    for (const [name, watched] of all) await lookAt(name, watched)
    isLooking = false
  }

  async function lookAt(name: string, watched: Watched): Promise<void> {
    try {
      const identity = await identifyAgain(backend, watched.identity)
      const isSame = JSON.stringify(identity) === JSON.stringify(watched.identity)
      watched.identity = identity
      if (!isSame) for (const watcher of watched.watchers) await watcher.changed(identity)
    } catch (error) {
      // A database that does not answer proves nothing.
      if (!(error instanceof SvcError) || error.status !== 401) return
      all.delete(name)
      for (const watcher of watched.watchers) watcher.ended()
    }
  }

  return {
    watch(identity, watcher) {
      const { user, key } = identity.caller
      const name = user ? `session ${user.sessionId}` : `key ${key?.id}`
      const watched = all.get(name) ?? { identity, watchers: new Set() }
      all.set(name, watched)
      watched.watchers.add(watcher)
      return () => {
        watched.watchers.delete(watcher)
        if (watched.watchers.size === 0) all.delete(name)
      }
    },
    close() {
      clearInterval(timer)
      clearTimeout(soon)
      forget()
      all.clear()
    },
  }
}
