/** What the hooks keep for a client: who is signed in, and what was read and written for that user. */
import type { SignedIn } from '../auth/auth-state.js'
import type { Client } from '../index.js'
import { asText } from './as-text.js'
import { type LiveEntry, openEntry } from './live-store.js'
import { type Overlay, openOverlay } from './overlay.js'

interface AuthShown {
  readonly user: SignedIn['user'] | undefined
  readonly isLoading: boolean
}

/** Lists and writes of one user; the next user has a store of their own, so that nothing is shown to somebody else. */
export interface UserStore {
  /** Which of all stores it is. */
  readonly round: number
  /** The list of a question, one for all components; nothing is sent before one of them subscribes or waits for it. */
  list(collection: string, query: object): LiveEntry
  overlay(collection: string): Overlay
  end(): void
}

export interface ClientStore {
  auth(): AuthShown
  user(): UserStore
  subscribe(listener: () => void): () => void
}

export const unknownAuth: AuthShown = { user: undefined, isLoading: true }

/** React Native has a `window`, and no `document`. */
const isServer = () => typeof window === 'undefined'

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
  const entries = new Map<string, LiveEntry>()
  const overlays = new Map<string, Overlay>()
  const overlay = (collection: string) => once(overlays, collection, openOverlay)
  return {
    round: ++rounds,
    overlay,
    list(collection, query) {
      const key = asText([collection, query])
      const forget = () => entries.delete(key)
      const entry = once(entries, key, () => openEntry(client, collection, query, overlay(collection), forget))
      // No component subscribes there, so that nothing would close it.
      if (isServer()) forget()
      return entry
    },
    end() {
      for (const entry of [...entries.values()]) entry.end()
    },
  }
}

const stores = new WeakMap<object, ClientStore>()

export const clientStore = (client: Client) => once(stores, client, () => openClientStore(client))

function openClientStore(client: Client): ClientStore {
  let auth = unknownAuth
  let user = openUserStore(client)
  const listeners = new Set<() => void>()
  const show = (session: SignedIn | undefined) => {
    if (!auth.isLoading && auth.user === session?.user) return
    auth = { user: session?.user, isLoading: false }
    for (const listener of listeners) listener()
  }
  if (!isServer()) {
    // As long as the client: who signs in while no component is shown is another user as well.
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
    auth: () => auth,
    user: () => user,
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
