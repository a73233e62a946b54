/** Streams end with the key or session they were opened with, and follow what it may do. */
import { SvcError, statusOf } from '../../../client/protocol/model/errors.js'
import type { Backend, Identity } from '../../core/context.js'
import { identifyAgain } from '../../core/logins/credentials.js'

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
  readonly name: string
  readonly identity: Identity
  /** Each with what it knows, as JSON: who comes later may know less than those who were notified. */
  readonly watchers: Map<Watcher, string>
  /** What who came last knows: one text for all who know the same. */
  known: string
}

/** How often all are looked at, whatever happens; soon after a message that an identity has changed. */
const everyMilliseconds = 5_000
const soonMilliseconds = 20

export function openIdentityWatch(backend: Backend): IdentityWatch {
  const all = new Map<string, Watched>()
  let isLooking = false
  let isStale = false
  let soon: NodeJS.Timeout | undefined
  const timer = setInterval(look, everyMilliseconds)
  timer.unref()
  const unsubscribe = backend.bus.subscribe({
    identity() {
      if (all.size === 0) return
      isStale = true
      lookSoon()
    },
    settings: () => undefined,
    changes: () => undefined,
  })

  function lookSoon() {
    soon ??= setTimeout(look, soonMilliseconds)
  }

  /** One after the other: there may be thousands. */
  async function look(): Promise<void> {
    soon = undefined
    if (isLooking) return
    isLooking = true
    isStale = false
    for (const [name, watched] of all) await lookAt(name, watched)
    isLooking = false
    // Something has changed about one who had been looked at already.
    if (isStale) lookSoon()
  }

  async function lookAt(name: string, watched: Watched): Promise<void> {
    try {
      const identity = await identifyAgain(backend, watched.identity)
      const now = JSON.stringify(identity)
      for (const [watcher, known] of watched.watchers) {
        if (known === now) continue
        watched.watchers.set(watcher, now)
        await watcher.changed(identity)
      }
    } catch (error) {
      // A database that does not answer proves nothing.
      if (!(error instanceof SvcError) || statusOf(error) !== 401) return
      all.delete(name)
      for (const watcher of watched.watchers.keys()) watcher.ended()
    }
  }

  return {
    watch(identity, watcher) {
      const { user, key, secret } = identity.caller
      const name = `session ${user?.sessionId}, ${secret ? 'secret ' : ''}key ${key?.id}`
      const known = JSON.stringify(identity)
      const watched = all.get(name) ?? { name, identity, watchers: new Map(), known }
      all.set(name, watched)
      if (watched.known !== known) watched.known = known
      watched.watchers.set(watcher, watched.known)
      return () => {
        watched.watchers.delete(watcher)
        if (watched.watchers.size === 0 && all.get(watched.name) === watched) all.delete(watched.name)
      }
    },
    close() {
      clearInterval(timer)
      clearTimeout(soon)
      unsubscribe()
      all.clear()
    },
  }
}
