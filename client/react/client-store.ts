/** State of the hooks per client: the signed-in user, and their lists and writes. */
import type { SignedIn } from '../auth/auth-state.js'
import type { Client } from '../index.js'
import { type LiveEntry, type LiveQueryInput, openEntry } from './live-store.js'
import { type Overlay, openOverlay } from './overlay.js'

interface AuthShown {
  readonly user: SignedIn['user'] | undefined
  readonly isLoading: boolean
}

/** Lists and writes of one user. Each user has a separate store, so that no data is shown to the next one. */
export interface UserStore {
  /** Unique number of this store. */
  readonly round: number
  /** Returns the list of a query. Does nothing before a component subscribes or waits, which none does on a server. */
  list(key: string, collection: string, query: LiveQueryInput): List
  overlay(collection: string): Overlay
  end(): void
}

/** A list shared by all components with the same query. */
export type List = Omit<LiveEntry, 'end'>

export interface ClientStore {
  auth(): AuthShown
  user(): UserStore
  /** Returns the store without listening, for a server that renders once. */
  serverUser(): UserStore
  subscribe(listener: () => void): () => void
}

export const unknownAuth: AuthShown = { user: undefined, isLoading: true }

/** Returns the cached value of a key, or creates it. */
function once<Key, Value>(
  kept: { get(key: Key): Value | undefined; set(key: Key, value: Value): unknown },
  key: Key,
  make: () => Value,
): Value {
  const value = kept.get(key) ?? make()
  kept.set(key, value)
  return value
}

let rounds = 0

function openUserStore(client: Client): UserStore {
  /** Open lists. */
  const entries = new Map<string, LiveEntry>()
  const overlays = new Map<string, Overlay>()
  const overlay = (collection: string) => once(overlays, collection, openOverlay)
  return {
    round: ++rounds,
    overlay,
    list(key, collection, query) {
      const remove = () => entries.delete(key)
      // Keeps the entry, so that a hidden tree whose list was closed shows its last state again.
      const known = entries.get(key) ?? openEntry(client, collection, query, overlay(collection), remove)
      const current = () => entries.get(key) ?? known
      const enter = () => once(entries, key, current)
      return {
        state: () => current().state(),
        subscribe: (listener) => enter().subscribe(listener),
        ready: () => enter().ready(),
      }
    },
    end() {
      for (const entry of entries.values()) entry.end()
    },
  }
}

const stores = new WeakMap<object, ClientStore>()

export const clientStore = (client: Client) => once(stores, client, () => openClientStore(client))

function openClientStore(client: Client): ClientStore {
  let auth = unknownAuth
  let user = openUserStore(client)
  let isListening = false
  const listeners = new Set<() => void>()
  const show = (session: SignedIn | undefined) => {
    if (!auth.isLoading && auth.user === session?.user) return
    auth = { user: session?.user, isLoading: false }
    for (const listener of listeners) listener()
  }
  /** Listens from the first use for the lifetime of the client, to notice sign-ins while no component is mounted. */
  function listen() {
    if (isListening) return
    isListening = true
    client.auth.onChange((session) => {
      if (auth.user?.id !== session?.user.id) {
        user.end()
        user = openUserStore(client)
      }
      show(session)
    })
    client.auth
      .session()
      .catch(() => undefined)
      .then((session) => auth.isLoading && show(session))
  }
  return {
    auth() {
      listen()
      return auth
    },
    user() {
      listen()
      return user
    },
    serverUser: () => user,
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
