/** What the hooks keep for a client: who is signed in, and what was read and written for that user. */
import type { SignedIn } from '../auth/auth-state.js'
import type { Client } from '../index.js'
import { type Asked, type LiveEntry, openEntry } from './live-store.js'
import { type Overlay, openOverlay } from './overlay.js'

interface AuthShown {
  readonly user: SignedIn['user'] | undefined
  readonly isLoading: boolean
}

/** Lists and writes of one user; the next user has a store of their own, so that nothing is shown to somebody else. */
export interface UserStore {
  /** Which of all stores it is. */
  readonly round: number
  /** The list of a question as one component asks it: nothing is kept or sent before it subscribes or waits, as none does on a server. */
  list(key: string, collection: string, query: Asked): List
  overlay(collection: string): Overlay
  end(): void
}

/** One list for all components that ask the same. */
export type List = Omit<LiveEntry, 'end'>

export interface ClientStore {
  auth(): AuthShown
  user(): UserStore
  /** For a server, which renders once and listens to nothing. */
  serverUser(): UserStore
  subscribe(listener: () => void): () => void
}

export const unknownAuth: AuthShown = { user: undefined, isLoading: true }

/** What is kept under this key, made if there is none. */
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
  /** Those that are open. */
  const entries = new Map<string, LiveEntry>()
  const overlays = new Map<string, Overlay>()
  const overlay = (collection: string) => once(overlays, collection, openOverlay)
  return {
    round: ++rounds,
    overlay,
    list(key, collection, query) {
      const remove = () => entries.delete(key)
      // A tree that was hidden, its list closed meanwhile, comes back with what it showed.
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
  /** From the first look on, as long as the client: who signs in while no component is shown is another user as well. */
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
