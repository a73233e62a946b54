/** Ends streams with the key or session that opened them, and updates their rights. */
import type { Backend, Identity } from '../../core/context.js'
import { identifyAgain } from '../../core/logins/credentials.js'

export interface Watcher {
  /** Called when the rights have changed. */
  changed(identity: Identity): void | Promise<void>
  /** Called when the key or session is no longer valid. */
  ended(): void
}

export interface IdentityWatch {
  watch(identity: Identity, watcher: Watcher): () => void
  close(): void
}

interface Watched {
  readonly name: string
  readonly identity: Identity
  /** Each watcher with the identity it knows, as JSON. Later watchers may know a newer one. */
  readonly watchers: Map<Watcher, string>
  /** The identity that the latest watcher knows, as one text shared by all who know the same. */
  known: string
}

/** How often to check all identities. A message that an identity has changed triggers an earlier check. */
const everyMilliseconds = 5_000
const soonMilliseconds = 20

/** How many identities a statement checks. A statement this size doesn't delay others noticeably. */
const maxAtOnce = 500

export function openIdentityWatch(backend: Backend): IdentityWatch {
  const all = new Map<string, Watched>()
  const notices = openNotices((error) => backend.report('realtime', error))
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

  /**
   * Ends invalid identities before notifying others of changed rights. A check is cheap, but each notification may run
   * statements.
   */
  async function look(): Promise<void> {
    soon = undefined
    if (isLooking) return
    isLooking = true
    isStale = false
    const watched = [...all.values()]
    for (let at = 0; at < watched.length; at += maxAtOnce) await lookAt(watched.slice(at, at + maxAtOnce))
    isLooking = false
    // An identity has changed that this check had already passed.
    if (isStale) lookSoon()
  }

  async function lookAt(some: readonly Watched[]): Promise<void> {
    // A database that doesn't answer proves nothing.
    const identities = await identifyAgain(
      backend,
      some.map(({ identity }) => identity),
    ).catch(() => undefined)
    if (!identities) return
    for (const [at, watched] of some.entries()) {
      const identity = identities[at]
      if (identity) noteChange(watched, identity)
      else end(watched)
    }
  }

  function noteChange({ watchers }: Watched, identity: Identity): void {
    const now = JSON.stringify(identity)
    for (const [watcher, known] of watchers) {
      if (known === now) continue
      watchers.set(watcher, now)
      notices.add(watcher, identity)
    }
  }

  function end(watched: Watched): void {
    if (all.get(watched.name) === watched) all.delete(watched.name)
    for (const watcher of watched.watchers.keys()) {
      notices.drop(watcher)
      watcher.ended()
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
        notices.drop(watcher)
        if (watched.watchers.size === 0 && all.get(watched.name) === watched) all.delete(watched.name)
      }
    },
    close() {
      clearInterval(timer)
      clearTimeout(soon)
      unsubscribe()
      all.clear()
      notices.clear()
    },
  }
}

/** Queues notifications per watcher and sends only the newest, one at a time, because there may be thousands. */
function openNotices(report: (error: unknown) => void) {
  const waiting = new Map<Watcher, Identity>()
  let isNotifying = false

  async function notifyAll(): Promise<void> {
    isNotifying = true
    for (const [watcher, identity] of waiting) {
      waiting.delete(watcher)
      await Promise.resolve(watcher.changed(identity)).catch(report)
    }
    isNotifying = false
  }

  return {
    add(watcher: Watcher, identity: Identity) {
      waiting.set(watcher, identity)
      if (!isNotifying) void notifyAll()
    },
    drop: (watcher: Watcher) => waiting.delete(watcher),
    clear: () => waiting.clear(),
  }
}
